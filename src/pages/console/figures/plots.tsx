/** Component: the charts of the reports. */
import { scaleLinear } from 'd3-scale'
import type { VNode } from 'preact'
import type { Figures, OfDay } from '../../../domain/review/figures.ts'
import {
  Axis,
  Dates,
  Drawing,
  fillOf,
  Legend,
  MIN_LINE_POINTS,
  PLOT_HEIGHT,
  percentOf,
  rounded,
  type Series,
  type Wording,
} from './drawing.tsx'
import { sum } from './wording.ts'

/** The fraction of a day's width that its bar fills. */
const BAR = 0.76

/**
 * Draws a bar for each day, with a segment for each state. The first state is at the bottom. The legend names the states
 * that occur.
 */
export function drawStates<S extends string>(
  title: string,
  { rows }: { readonly rows: readonly OfDay<NoInfer<S>>[] },
  labels: Readonly<Record<S, string>>,
  { date, short }: Pick<Wording, 'date' | 'short'>,
): VNode {
  const states = Object.keys(labels) as S[]
  const totalOf = (row: OfDay<S>) => sum(states.map((state) => row[state]))
  const y = scaleLinear([0, Math.max(1, ...rows.map(totalOf))], [PLOT_HEIGHT, 0]).nice(4)
  const shareOf = (index: number) => (index + 0.5) / rows.length
  const ticks = y.ticks(4).filter(Number.isInteger)
  const given = states.filter((state) => rows.some((row) => row[state] > 0))
  return (
    <>
      <Legend series={given.map((name) => ({ name, label: labels[name] }))} />
      <Drawing title={title}>
        <Axis ticks={ticks} y={y} text={short} />
        <Dates days={rows.map(({ day }) => day)} shareOf={shareOf} date={date} />
        {rows.map((row, index) => {
          let below = 0
          return states.map((state) => {
            const [base, top] = [y(below), y(below + row[state])]
            below += row[state]
            return row[state] === 0 ? null : (
              <rect
                key={`${row.day} ${state}`}
                fill={fillOf(state)}
                x={percentOf((index + (1 - BAR) / 2) / rows.length)}
                y={rounded(top)}
                width={percentOf(BAR / rows.length)}
                // Leaves a gap of one pixel between the segments.
                height={rounded(Math.max(1, base - top - 1))}
                rx={2}
              />
            )
          })
        })}
      </Drawing>
    </>
  )
}

/** The minimum distance between the labels at the ends of the two lines. */
const LABEL_HEIGHT = 16

/**
 * Draws two lines with labels at their ends. If there are few points, draws the two of each day with a line between them.
 * Rings and dashes show the longer times. Days without a decision are gaps.
 */
export function drawTimes(
  title: string,
  { rows }: Figures['decision_times'],
  labels: { readonly median: string; readonly p90: string },
  {
    date,
    axis,
    unitSeconds,
  }: Pick<Wording, 'date'> & { axis: (value: number) => string; unitSeconds: number },
): VNode {
  const lines = (['p90', 'median'] as const).map((name) => ({
    name,
    times: rows.map(({ [`${name}_seconds` as const]: seconds }) =>
      seconds === null ? null : seconds / unitSeconds,
    ),
  }))
  const medians = lines[1]?.times ?? []
  const isDotted = rows.filter(({ median_seconds: seconds }) => seconds !== null).length < MIN_LINE_POINTS
  const longest = Math.max(...lines.flatMap(({ times }) => times.map((time) => time ?? 0)))
  const y = scaleLinear([0, longest || 1], [PLOT_HEIGHT, 0]).nice(4)
  const shareOf = (index: number) => (rows.length === 1 ? 0.5 : index / (rows.length - 1))
  const lastOf = (times: readonly (number | null)[]) => times.findLastIndex((time) => time !== null)
  const endOf = (times: readonly (number | null)[]) => y(times[lastOf(times)] ?? 0)
  const [ofP90 = 0, ofMedian = 0] = lines.map(({ times }) => endOf(times))
  const shift = Math.max(0, LABEL_HEIGHT - (ofMedian - ofP90)) / 2
  // The labels stay above the axis, also for values near zero.
  const median = Math.min(ofMedian + shift, PLOT_HEIGHT - LABEL_HEIGHT / 2)
  const labelAt = { median, p90: Math.min(ofP90 - shift, median - LABEL_HEIGHT) }
  return (
    <Drawing title={title} hasEndLabels hasUnits>
      <Axis ticks={y.ticks(4)} y={y} text={axis} />
      <Dates days={rows.map(({ day }) => day)} shareOf={shareOf} date={date} />
      {lines.map(({ name, times }) => (
        <g key={name} class={`plot-line plot-${name}`} fill={fillOf(name)} stroke={fillOf(name)}>
          {times.map((time, index) => {
            const next = times[index + 1]
            if (time === null) return null
            const [x1, y1] = [percentOf(shareOf(index)), rounded(y(time))]
            return isDotted || next === null || next === undefined ? (
              <g key={index}>
                {isDotted && name === 'p90' ? (
                  <line x1={x1} y1={y1 + 4} x2={x1} y2={Math.max(y1 + 4, y(medians[index] ?? 0))} />
                ) : null}
                <circle cx={x1} cy={y1} r={4} />
              </g>
            ) : (
              <line key={index} x1={x1} y1={y1} x2={percentOf(shareOf(index + 1))} y2={rounded(y(next))} />
            )
          })}
          <text x={percentOf(shareOf(lastOf(times)))} dx="8" y={rounded(labelAt[name])} dy="0.32em">
            {labels[name]}
          </text>
        </g>
      ))}
    </Drawing>
  )
}

interface BarRow {
  readonly label: string
  /** The counts of the series, in the order of the legend. */
  readonly counts: readonly number[]
  readonly text: string
  /** The names and the counts of the segments, if there are several. */
  readonly note?: string
}

/** Draws a horizontal bar for each row, with a segment for each series. */
export function drawBars(series: readonly Series[], rows: readonly BarRow[]): VNode {
  const most = Math.max(1, ...rows.map(({ counts }) => sum(counts)))
  return (
    <>
      {series.length > 1 ? <Legend series={series} /> : null}
      <ul class="bar-list">
        {rows.map(({ label, counts, text, note }) => (
          <li key={label}>
            <span>{label}</span>
            <svg width="100%" height={14} aria-hidden="true">
              <rect class="bar-track" width="100%" height={14} rx={3} />
              {counts.map((count, index) =>
                count === 0 ? null : (
                  <rect
                    key={series[index]?.name}
                    fill={fillOf(series[index]?.name ?? '')}
                    x={percentOf(sum(counts.slice(0, index)) / most)}
                    width={percentOf(count / most)}
                    height={14}
                    rx={3}
                  />
                ),
              )}
            </svg>
            <strong class="number">{text}</strong>
            {counts.filter(Boolean).length > 1 ? <small class="row-note">{note}</small> : null}
          </li>
        ))}
      </ul>
    </>
  )
}
