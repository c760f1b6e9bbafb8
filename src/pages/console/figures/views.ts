/** Builds the sentence, the chart and the key figure of each report. */
import type { VNode } from 'preact'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import {
  type APPLICATION_STATES,
  DECISION_OUTCOMES,
  type DELIVERY_STATES,
  type FigureName,
  type Figures,
} from '../../../domain/review/figures.ts'
import type { Frame } from '../../components/layout.tsx'
import { drawBars, drawStates, drawTimes } from './plots.tsx'
import { type Row, SENTENCES, sum, totalOf, unitOf, type Words, wordsOf } from './wording.ts'

const MAX_REASONS = 8

/** Returns the name and the total of each series. */
const labelsOf = <S extends string>(
  series: readonly S[],
  rows: readonly Readonly<Record<S, number>>[],
  { column, number }: Words,
) =>
  Object.fromEntries(
    series.map((name) => [name, `${column(name)} ${number(totalOf(rows, name))}`]),
  ) as Record<S, string>

/** The states of each chart, from the bottom of a bar to its top. */
const STACKED = {
  applications: ['approved', 'rejected', 'closed', 'in_review', 'waiting'],
  deliveries: ['completed', 'partial', 'failed', 'unfinished'],
} as const satisfies {
  applications: readonly (typeof APPLICATION_STATES)[number][]
  deliveries: readonly (typeof DELIVERY_STATES)[number][]
}

const PLOTS: {
  readonly [N in FigureName]: (title: string, figure: Figures[N], words: Words) => VNode
} = {
  applications: (title, figure, words) =>
    drawStates(title, figure, labelsOf(STACKED.applications, figure.rows, words), words),
  decision_times(title, figure, words) {
    const longest = Math.max(...figure.rows.map(({ p90_seconds }) => p90_seconds ?? 0))
    const [unit, unitSeconds] = unitOf(longest)
    const labels = { median: words.t('figures.median'), p90: words.t('figures.p90') }
    return drawTimes(title, figure, labels, { ...words, axis: words.shortUnit(unit), unitSeconds })
  },
  queue_ages(_title, figure, words) {
    const labels = labelsOf(ENTITY_KINDS, figure.rows, words)
    const series = ENTITY_KINDS.map((name) => ({ name, label: labels[name] }))
    const rows = figure.rows.map((row) => {
      const counts = ENTITY_KINDS.map((kind) => row[kind])
      return { label: words.age(row), counts, text: words.number(sum(counts)) }
    })
    return drawBars(series, rows)
  },
  reasons(_title, figure, words) {
    const labels = labelsOf(DECISION_OUTCOMES, figure.rows, words)
    const given = DECISION_OUTCOMES.filter((outcome) => totalOf(figure.rows, outcome) > 0)
    const rows = figure.rows
      .map((row) => ({ row, count: sum(given.map((outcome) => row[outcome])) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, MAX_REASONS)
    return drawBars(
      given.map((name) => ({ name, label: labels[name] })),
      rows.map(({ row, count }) => ({
        label: words.reason(row.reason_code),
        counts: given.map((outcome) => row[outcome]),
        text: words.number(count),
      })),
    )
  },
  deliveries: (title, figure, words) =>
    drawStates(title, figure, labelsOf(STACKED.deliveries, figure.rows, words), words),
}

/** A number at the top of the page. */
interface KeyFigure {
  readonly label: string
  readonly value: string
  readonly note: string
  /** The values in chronological order, for a small line chart. */
  readonly values: readonly (number | null)[]
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

/** Functions that build the key figure of a report, or return null if there is no data. */
const KEY_FIGURES: {
  readonly [N in FigureName]?: (figure: Figures[N], words: Words) => KeyFigure | null
} = {
  queue_ages({ rows, longest_seconds }, { t, number, duration }) {
    if (longest_seconds === null) return null
    return {
      label: t('figures.key.waiting'),
      value: number(totalOf(rows, 'kyb') + totalOf(rows, 'identification')),
      note: t('figures.key.waiting.note', { longest: duration(longest_seconds) }),
      values: [],
    }
  },
  decision_times({ rows, overall: { median_seconds, p90_seconds } }, { t, duration }) {
    if (median_seconds === null || p90_seconds === null) return null
    return {
      label: t('figures.key.median'),
      value: duration(median_seconds),
      note: t('figures.key.median.note', { p90: duration(p90_seconds) }),
      values: rows.map((row) => row.median_seconds),
    }
  },
  applications({ rows }, { t, number, percent }) {
    const approved = totalOf(rows, 'approved')
    const decided = approved + totalOf(rows, 'rejected')
    if (decided === 0) return null
    return {
      label: t('figures.key.approved'),
      value: percent(approved / decided),
      note: t('figures.key.approved.note', { approved: number(approved), decided: number(decided) }),
      values: rows.map((row) => shareOf(row.approved, row.approved + row.rejected)),
    }
  },
  deliveries({ rows }, { t, number, percent }) {
    const finishedOf = (row: (typeof rows)[number]) => row.completed + row.partial + row.failed
    const finished = sum(rows.map(finishedOf))
    if (finished === 0) return null
    const completed = totalOf(rows, 'completed')
    return {
      label: t('figures.key.delivered'),
      value: percent(completed / finished),
      note: t('figures.key.delivered.note', { completed: number(completed), finished: number(finished) }),
      values: rows.map((row) => shareOf(row.completed, finishedOf(row))),
    }
  },
}

export const KEY_ORDER: readonly FigureName[] = ['queue_ages', 'decision_times', 'applications', 'deliveries']

export interface View {
  readonly name: FigureName
  /** The sentence, or null if there is no data yet. */
  readonly sentence: string | null
  /** The text if there is no data, instead of the usual text. */
  readonly empty?: string
  readonly plot: VNode | null
  readonly key: KeyFigure | null
  readonly rows: readonly Row[]
}

export const headingOf = (name: FigureName): string => `figure-${name}`

export function viewOf<N extends FigureName>(frame: Frame, name: N, figure: Figures[N]): View {
  const words = wordsOf(frame)
  const sentence = SENTENCES[name](figure, words)
  const plot = sentence === null ? null : PLOTS[name](sentence, figure, words)
  const key = KEY_FIGURES[name]?.(figure, words) ?? null
  return { name, sentence, plot, key, rows: figure.rows as unknown as readonly Row[] }
}
