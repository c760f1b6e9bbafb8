/** Builds the sentence and the chart of each report. */
import type { VNode } from 'preact'
import { ENTITY_KINDS } from '../../../domain/entity.ts'
import {
  APPLICATION_STATES,
  DECISION_OUTCOMES,
  DELIVERY_STATES,
  type FigureName,
  type Figures,
} from '../../../domain/figures.ts'
import type { Frame } from '../../components/layout.tsx'
import { drawAges, drawReasons, drawStates, drawTimes } from './plots.tsx'
import { type Row, SENTENCES, totalOf, unitOf, type Words, wordsOf } from './wording.ts'

const MAX_REASONS = 8

/** Returns the labels of a chart's rows: the name and the total of each state. */
const labelsOf = <S extends string>(
  states: readonly S[],
  rows: readonly Readonly<Record<S, number>>[],
  { column, number }: Words,
) =>
  Object.fromEntries(
    states.map((state) => [state, `${column(state)}: ${number(totalOf(rows, state))}`]),
  ) as Record<S, string>

const PLOTS: {
  readonly [N in FigureName]: (title: string, figure: Figures[N], words: Words) => VNode
} = {
  applications: (title, figure, words) =>
    drawStates(title, figure, labelsOf(APPLICATION_STATES, figure.rows, words), words),
  decision_times(title, figure, words) {
    const longest = Math.max(...figure.rows.map(({ p90_seconds }) => p90_seconds ?? 0))
    const [unit, unitSeconds] = unitOf(longest)
    const labels = { median: words.t('figures.median'), p90: words.t('figures.p90') }
    const axis = words.t(`figures.unit.${unit}`)
    return drawTimes(title, figure, labels, { ...words, axis, unitSeconds })
  },
  queue_ages(title, figure, words) {
    const labels = labelsOf(ENTITY_KINDS, figure.rows, words)
    const classes = figure.rows.map(words.age)
    return drawAges(title, figure, labels, { ...words, classes })
  },
  reasons(title, figure, { column, reason, number }) {
    const given = figure.rows.flatMap((row) =>
      DECISION_OUTCOMES.map((outcome) => ({
        outcome,
        label: `${column(outcome)} · ${reason(row.reason_code)}: ${number(row[outcome])}`,
        count: row[outcome],
      })),
    )
    const shown = given.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
    return drawReasons(title, shown.slice(0, MAX_REASONS))
  },
  deliveries: (title, figure, words) =>
    drawStates(title, figure, labelsOf(DELIVERY_STATES, figure.rows, words), words),
}

export interface View {
  readonly name: FigureName
  /** Null if there is no data yet. */
  readonly sentence: string | null
  readonly plot: VNode | null
  readonly rows: readonly Row[]
}

export const headingOf = (name: FigureName): string => `figure-${name}`

export function viewOf<N extends FigureName>(frame: Frame, name: N, figure: Figures[N]): View {
  const words = wordsOf(frame)
  const sentence = SENTENCES[name](figure, words)
  const plot = sentence === null ? null : PLOTS[name](sentence, figure, words)
  return { name, sentence, plot, rows: figure.rows as unknown as readonly Row[] }
}
