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
import { FINAL_STATUSES } from '../../../domain/webhook/events.ts'
import type { Frame } from '../../components/layout.tsx'
import { drawBars, drawStates, drawTimes } from './plots.tsx'
import { type Row, sum, unitOf, type Words, wordsOf } from './wording.ts'

const MAX_REASONS = 8

type Counts<K extends string> = Readonly<Record<K, number>>

const totalOf = <K extends string>(rows: readonly Counts<K>[], ...columns: readonly K[]): number =>
  sum(rows.flatMap((row) => columns.map((column) => row[column])))

const labelsOf = <S extends string>(
  series: readonly S[],
  rows: readonly Counts<S>[],
  { column, number }: Words,
) =>
  Object.fromEntries(
    series.map((name) => [name, `${column(name)} ${number(totalOf(rows, name))}`]),
  ) as Record<S, string>

/** Returns the names of the series with a count, in the order of their segments. */
const noteOf = <S extends string>(series: readonly S[], row: Counts<S>, { column, number }: Words): string =>
  series
    .filter((name) => row[name] > 0)
    .map((name) => `${column(name)} ${number(row[name])}`)
    .join(' · ')

/** The states of each chart, from the bottom of a bar to its top. */
const STACKED = {
  applications: ['approved', 'rejected', 'closed', 'in_review', 'waiting'],
  deliveries: ['completed', 'partial', 'failed', 'unfinished'],
} as const satisfies {
  applications: readonly (typeof APPLICATION_STATES)[number][]
  deliveries: readonly (typeof DELIVERY_STATES)[number][]
}

/** Returns the reasons with the number of their decisions, the most frequent one first. */
const byFrequency = (rows: Figures['reasons']['rows']) =>
  rows
    .map((row) => ({ row, count: totalOf([row], ...DECISION_OUTCOMES) }))
    .toSorted((a, b) => b.count - a.count)

/** A number at the top of the page. */
interface KeyFigure {
  readonly label: string
  readonly value: string
  readonly note: string
  /** The values in chronological order, for a small line chart. */
  readonly values: readonly (number | null)[]
}

interface Report<F> {
  /** Returns a sentence with the main number, or null if there is no data. */
  readonly sentence: (figure: F, words: Words) => string | null
  readonly plot: (title: string, figure: F, words: Words) => VNode
  /** Returns the key figure, or null if there is no data. */
  readonly key?: (figure: F, words: Words) => KeyFigure | null
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const REPORTS: { readonly [N in FigureName]: Report<Figures[N]> } = {
  applications: {
    sentence({ rows }, { t }) {
      const decided = totalOf(rows, 'approved', 'rejected')
      const count = decided + totalOf(rows, 'closed', 'waiting', 'in_review')
      return count === 0 ? null : t('figures.applications.sentence', { count, decided })
    },
    plot: (title, figure, words) =>
      drawStates(title, figure, labelsOf(STACKED.applications, figure.rows, words), words),
    key({ rows }, { t, number, percent }) {
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
  },
  decision_times: {
    sentence({ overall: { decisions, median_seconds, p90_seconds } }, { t, duration }) {
      if (median_seconds === null || p90_seconds === null) return null
      const times = { median: duration(median_seconds), p90: duration(p90_seconds) }
      return t('figures.decision_times.sentence', { decisions, ...times })
    },
    plot(title, figure, words) {
      const longest = Math.max(...figure.rows.map(({ p90_seconds }) => p90_seconds ?? 0))
      const [unit, unitSeconds] = unitOf(longest)
      const labels = { median: words.column('median_seconds'), p90: words.column('p90_seconds') }
      return drawTimes(title, figure, labels, { ...words, axis: words.inUnit(unit), unitSeconds })
    },
    key({ rows, overall: { median_seconds, p90_seconds } }, { t, duration }) {
      if (median_seconds === null || p90_seconds === null) return null
      return {
        label: t('figures.key.median'),
        value: duration(median_seconds),
        note: t('figures.key.median.note', { p90: duration(p90_seconds) }),
        values: rows.map((row) => row.median_seconds),
      }
    },
  },
  queue_ages: {
    sentence({ longest_seconds, rows }, { t, duration }) {
      if (longest_seconds === null) return null
      const count = totalOf(rows, ...ENTITY_KINDS)
      return t('figures.queue_ages.sentence', { count, longest: duration(longest_seconds) })
    },
    plot(_title, figure, words) {
      const labels = labelsOf(ENTITY_KINDS, figure.rows, words)
      const series = ENTITY_KINDS.map((name) => ({ name, label: labels[name] }))
      const rows = figure.rows.map((row) => {
        const counts = ENTITY_KINDS.map((kind) => row[kind])
        return {
          ...{ label: words.age(row), counts, text: words.number(sum(counts)) },
          note: noteOf(ENTITY_KINDS, row, words),
        }
      })
      return drawBars(series, rows)
    },
    key({ rows, longest_seconds }, { t, number, duration }) {
      if (longest_seconds === null) return null
      return {
        label: t('figures.key.waiting'),
        value: number(totalOf(rows, ...ENTITY_KINDS)),
        note: t('figures.key.waiting.note', { longest: duration(longest_seconds) }),
        values: [],
      }
    },
  },
  reasons: {
    sentence({ rows }, { t, reason }) {
      const [first] = byFrequency(rows)
      if (!first || first.count === 0) return null
      const count = totalOf(rows, ...DECISION_OUTCOMES)
      const { reason_code } = first.row
      return t('figures.reasons.sentence', { count, reason: reason(reason_code), times: first.count })
    },
    plot(_title, { rows }, words) {
      const labels = labelsOf(DECISION_OUTCOMES, rows, words)
      const given = DECISION_OUTCOMES.filter((outcome) => totalOf(rows, outcome) > 0)
      return drawBars(
        given.map((name) => ({ name, label: labels[name] })),
        byFrequency(rows)
          .filter(({ count }) => count > 0)
          .slice(0, MAX_REASONS)
          .map(({ row, count }) => ({
            label: words.reason(row.reason_code),
            counts: given.map((outcome) => row[outcome]),
            text: words.number(count),
            note: noteOf(given, row, words),
          })),
      )
    },
  },
  deliveries: {
    sentence({ rows }, { t }) {
      const count = totalOf(rows, ...FINAL_STATUSES, 'unfinished')
      if (count === 0) return null
      return t('figures.deliveries.sentence', { count, completed: totalOf(rows, 'completed') })
    },
    plot: (title, figure, words) =>
      drawStates(title, figure, labelsOf(STACKED.deliveries, figure.rows, words), words),
    key({ rows }, { t, number, percent }) {
      const finished = totalOf(rows, ...FINAL_STATUSES)
      if (finished === 0) return null
      const completed = totalOf(rows, 'completed')
      return {
        label: t('figures.key.delivered'),
        value: percent(completed / finished),
        note: t('figures.key.delivered.note', { completed: number(completed), finished: number(finished) }),
        values: rows.map((row) => shareOf(row.completed, totalOf([row], ...FINAL_STATUSES))),
      }
    },
  },
}

export const KEY_ORDER: readonly FigureName[] = ['queue_ages', 'decision_times', 'applications', 'deliveries']

export interface View {
  readonly name: FigureName
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
  const report = REPORTS[name]
  const sentence = report.sentence(figure, words)
  const plot = sentence === null ? null : report.plot(sentence, figure, words)
  const key = report.key?.(figure, words) ?? null
  return { name, sentence, plot, key, rows: figure.rows as unknown as readonly Row[] }
}
