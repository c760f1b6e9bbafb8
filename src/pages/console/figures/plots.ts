/** What each plot shows: bars of days in a row for each state, lines of times, bars of ages and of reasons. */
import type { PlotOptions } from '@observablehq/plot'
import { ENTITY_KINDS, type Entity } from '../../../domain/entity.ts'
import type { Figures, OfDay } from '../../../domain/figures.ts'
import type { Plots } from './drawing.ts'

const DAY_MS = 86_400_000
/** As wide as what is written at the left of it. */
const SIDES = { marginLeft: 34, marginRight: 8 }

/** The same for the same state wherever it is shown, in light and dark. */
const COLOURS: Readonly<Record<string, string>> = {
  waiting: 'var(--edge)',
  in_review: 'var(--accent)',
  approved: 'var(--good)',
  rejected: 'var(--bad)',
  closed: 'var(--quiet)',
  completed: 'var(--good)',
  partial: 'var(--edge)',
  failed: 'var(--bad)',
  unfinished: 'var(--accent)',
  more_asked: 'var(--edge)',
  attention: 'var(--accent)',
}

const dateOf = (day: string) => new Date(`${day}T00:00:00Z`)

interface Wording {
  readonly date: (date: Date) => string
  readonly number: (value: number) => string
  /** In few characters, for an axis. */
  readonly short: (value: number) => string
  /** Of any size. */
  readonly decimal: (value: number) => string
}

/** A row of bars for each state, with its name and total in it, all on one scale. */
export const statesOverTime =
  <S extends string>(
    { step_days, rows }: { step_days: number; rows: readonly OfDay<NoInfer<S>>[] },
    labels: Readonly<Record<S, string>>,
    { date, short }: Pick<Wording, 'date' | 'short'>,
  ) =>
  (plots: Plots): PlotOptions => {
    const states = Object.keys(labels) as S[]
    const bars = states.flatMap((state) => rows.map((row) => ({ state, row, count: row[state] })))
    const most = Math.max(1, ...bars.map(({ count }) => count))
    return {
      ...SIDES,
      height: 62 * states.length + 32,
      marginTop: 4,
      marginBottom: 24,
      insetTop: 22,
      fy: { domain: states, axis: null, padding: 0.08 },
      x: { type: 'utc', label: null },
      y: { axis: null, domain: [0, most] },
      color: { type: 'identity' },
      marks: [
        plots.axisX({ ticks: 4, tickSize: 0, tickFormat: date }),
        // The scale is one, so the first row says it for all.
        plots.text(states.slice(0, 1), {
          fy: (state) => state,
          y: () => most,
          text: () => short(most),
          frameAnchor: 'left',
          textAnchor: 'end',
          dx: -6,
        }),
        plots.ruleY([0], { stroke: 'var(--line)' }),
        plots.rectY(bars, {
          fy: 'state',
          x1: ({ row }) => dateOf(row.day),
          x2: ({ row }) => new Date(dateOf(row.day).getTime() + step_days * DAY_MS),
          y: 'count',
          fill: ({ state }) => COLOURS[state],
          inset: 0.5,
          insetTop: 0,
          insetBottom: 0,
        }),
        plots.text(states, {
          fy: (state) => state,
          text: (state) => labels[state as S],
          frameAnchor: 'top-left',
          dx: -30,
          dy: -2,
          className: 'label',
        }),
      ],
    }
  }

/** Two lines, with their names at their ends. */
export const timesOverTime =
  (
    { rows }: Figures['decision_times'],
    labels: { readonly median: string; readonly p90: string },
    {
      date,
      decimal,
      axis,
      unitSeconds,
    }: Pick<Wording, 'date' | 'decimal'> & { axis: string; unitSeconds: number },
  ) =>
  (plots: Plots): PlotOptions => {
    const lines = (['p90', 'median'] as const).map((name) => ({
      name,
      colour: name === 'median' ? 'var(--accent)' : 'var(--quiet)',
      points: rows.map((row) => {
        const seconds = row[`${name}_seconds`]
        return { at: dateOf(row.day), time: seconds === null ? Number.NaN : seconds / unitSeconds }
      }),
    }))
    return {
      ...SIDES,
      height: 240,
      marginTop: 26,
      marginRight: 76,
      marginBottom: 24,
      x: { type: 'utc', label: null },
      y: { zero: true, nice: true },
      color: { type: 'identity' },
      marks: [
        plots.axisX({ ticks: 3, tickSize: 0, tickFormat: date }),
        plots.axisY({ ticks: 4, tickSize: 0, tickFormat: decimal, label: axis, labelArrow: 'none' }),
        plots.gridY({ ticks: 4, stroke: 'var(--line)', strokeOpacity: 1 }),
        ...lines.flatMap(({ name, colour, points }) => [
          plots.lineY(points, { x: 'at', y: 'time', stroke: colour, strokeWidth: 2 }),
          plots.dot(points, { x: 'at', y: 'time', fill: colour, r: rows.length > 31 ? 1.5 : 2.5 }),
          plots.text(points.filter(({ time }) => !Number.isNaN(time)).slice(-1), {
            x: 'at',
            y: 'time',
            text: () => labels[name],
            textAnchor: 'start',
            lineAnchor: name === 'median' ? 'top' : 'bottom',
            dx: 6,
            dy: name === 'median' ? 2 : -2,
            className: 'label',
          }),
        ]),
      ],
    }
  }

/** A row of bars for each kind, the numbers on them. */
export const agesOfQueue =
  (
    { rows }: Figures['queue_ages'],
    labels: { readonly kyb: string; readonly identification: string },
    { number, classes }: Pick<Wording, 'number'> & { classes: readonly string[] },
  ) =>
  (plots: Plots): PlotOptions => {
    const bars = ENTITY_KINDS.flatMap((kind) =>
      rows.map((row, n) => ({ kind, age: classes[n] ?? '', count: row[kind] })),
    )
    return {
      height: 260,
      marginLeft: 4,
      marginRight: 4,
      marginTop: 4,
      marginBottom: 24,
      insetTop: 38,
      fy: { domain: ENTITY_KINDS, axis: null, padding: 0.1 },
      x: { label: null, domain: classes, padding: 0.15 },
      y: { axis: null, zero: true },
      marks: [
        plots.axisX({ tickSize: 0 }),
        plots.ruleY([0], { stroke: 'var(--line)' }),
        plots.barY(bars, { fy: 'kind', x: 'age', y: 'count', fill: 'var(--accent)' }),
        plots.text(bars, {
          fy: 'kind',
          x: 'age',
          y: 'count',
          text: ({ count }) => (count === 0 ? '' : number(count)),
          lineAnchor: 'bottom',
          dy: -3,
        }),
        plots.text(ENTITY_KINDS, {
          fy: (kind) => kind,
          text: (kind) => labels[kind as Entity],
          frameAnchor: 'top-left',
          className: 'label',
        }),
      ],
    }
  }

export interface Reason {
  readonly outcome: string
  readonly label: string
  readonly count: number
}

/** A bar for each, the most frequent first, what it is above it. */
export const mostFrequent =
  (reasons: readonly Reason[]) =>
  (plots: Plots): PlotOptions => {
    const bars = reasons.map((reason, n) => ({ ...reason, n }))
    return {
      height: 36 * bars.length + 8,
      marginLeft: 2,
      marginRight: 2,
      marginTop: 2,
      marginBottom: 6,
      x: { axis: null, zero: true },
      y: { axis: null, padding: 0, domain: bars.map(({ n }) => n) },
      color: { type: 'identity' },
      marks: [
        plots.barX(bars, {
          x: 'count',
          y: 'n',
          fill: ({ outcome }) => COLOURS[outcome],
          insetTop: 22,
          insetBottom: 4,
        }),
        plots.text(bars, {
          y: 'n',
          text: 'label',
          frameAnchor: 'left',
          dy: -8,
          className: 'label',
        }),
      ],
    }
  }
