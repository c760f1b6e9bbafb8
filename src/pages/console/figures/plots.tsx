/** Component: the charts of the reports, rendered as SVG. */
import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import type { VNode } from 'preact'
import { ENTITY_KINDS, type Entity } from '../../../domain/entity.ts'
import type { Figures, OfDay } from '../../../domain/figures.ts'
import {
  Bar,
  BELOW,
  Dates,
  Drawing,
  LEFT,
  RIGHT,
  Rule,
  rounded,
  WIDTH,
  type Wording,
  Words,
} from './drawing.tsx'

const DAY_MS = 86_400_000

/** A state has the same colour in all charts, in both colour schemes. */
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

/** Draws a row of bars for each state, with its label and total. All rows share a scale. */
export function drawStates<S extends string>(
  title: string,
  { step_days, rows }: { step_days: number; rows: readonly OfDay<NoInfer<S>>[] },
  labels: Readonly<Record<S, string>>,
  { date, short }: Pick<Wording, 'date' | 'short'>,
): VNode {
  const states = Object.keys(labels) as S[]
  const most = Math.max(1, ...states.flatMap((state) => rows.map((row) => row[state])))
  const height = 62 * states.length + 32
  const band = scaleBand<S>(states, [4, height - BELOW]).paddingInner(0.08)
  const endOf = (day: string) => new Date(dateOf(day).getTime() + step_days * DAY_MS)
  const [first = '', last = ''] = [rows[0]?.day, rows.at(-1)?.day]
  const x = scaleUtc([dateOf(first), endOf(last)], [LEFT, RIGHT])
  return (
    <Drawing title={title} height={height}>
      <Dates x={x} count={4} y={height - BELOW + 9} date={date} />
      {states.map((state, n) => {
        const top = band(state) ?? 0
        const base = top + band.bandwidth()
        const y = scaleLinear([0, most], [base, top + 22])
        return (
          <g key={state}>
            {/* All rows share the scale, so only the first row shows it. */}
            {n === 0 ? (
              <Words x={LEFT - 6} y={y(most)} anchor="end">
                {short(most)}
              </Words>
            ) : null}
            <Rule from={LEFT} to={RIGHT} y={base} />
            {rows.map((row) => (
              <Bar
                key={row.day}
                x={x(dateOf(row.day)) + 0.5}
                y={y(row[state])}
                width={x(endOf(row.day)) - x(dateOf(row.day)) - 1}
                height={base - y(row[state])}
                fill={COLOURS[state]}
              />
            ))}
            <Words class="label" x={4} y={top - 2} at="top">
              {labels[state]}
            </Words>
          </g>
        )
      })}
    </Drawing>
  )
}

interface Time {
  readonly at: Date
  /** The duration in units of the axis. */
  readonly time: number
}

/** Draws two lines with their labels at the ends. */
export function drawTimes(
  title: string,
  { rows }: Figures['decision_times'],
  labels: { readonly median: string; readonly p90: string },
  wording: Pick<Wording, 'date' | 'decimal'> & { readonly axis: string; readonly unitSeconds: number },
): VNode {
  const { date, decimal, axis, unitSeconds } = wording
  const lines = (['p90', 'median'] as const).map((name) => ({
    name,
    colour: name === 'median' ? 'var(--accent)' : 'var(--quiet)',
    times: rows.map(({ day, [`${name}_seconds` as const]: seconds }) =>
      seconds === null ? null : { at: dateOf(day), time: seconds / unitSeconds },
    ),
  }))
  const height = 240
  const right = WIDTH - 76
  const longest = Math.max(...lines.flatMap(({ times }) => times.map((each) => each?.time ?? 0)))
  const [first = '', last = ''] = [rows[0]?.day, rows.at(-1)?.day]
  const x = scaleUtc([dateOf(first), dateOf(last)], [LEFT, right])
  const y = scaleLinear([0, longest], [height - BELOW, 26]).nice()
  const path = line<Time | null>()
    .defined((each) => each !== null)
    .x((each) => rounded(x(each?.at ?? 0)))
    .y((each) => rounded(y(each?.time ?? 0)))
  return (
    <Drawing title={title} height={height}>
      <Words x={2} y={4} at="top">
        {axis}
      </Words>
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <Rule from={LEFT} to={right} y={y(tick)} />
          <Words x={LEFT - 6} y={y(tick)} anchor="end">
            {decimal(tick)}
          </Words>
        </g>
      ))}
      <Dates x={x} count={3} y={height - BELOW + 9} date={date} />
      {lines.map(({ name, colour, times }) => {
        const known = times.filter((each) => each !== null)
        const end = known.at(-1)
        return (
          <g key={name} fill={colour}>
            <path d={path(times) ?? undefined} fill="none" stroke={colour} stroke-width={2} />
            {known.map(({ at, time }) => (
              <circle
                key={at.getTime()}
                cx={rounded(x(at))}
                cy={rounded(y(time))}
                r={rows.length > 31 ? 1.5 : 2.5}
              />
            ))}
            {end ? (
              <Words
                class="label"
                x={x(end.at) + 6}
                y={y(end.time) + (name === 'median' ? 2 : -2)}
                at={name === 'median' ? 'top' : 'bottom'}
              >
                {labels[name]}
              </Words>
            ) : null}
          </g>
        )
      })}
    </Drawing>
  )
}

/** Draws a row of bars with numbers for each type of case. */
export function drawAges(
  title: string,
  { rows }: Figures['queue_ages'],
  labels: Readonly<Record<Entity, string>>,
  { number, classes }: Pick<Wording, 'number'> & { readonly classes: readonly string[] },
): VNode {
  const most = Math.max(1, ...ENTITY_KINDS.flatMap((kind) => rows.map((row) => row[kind])))
  const height = 260
  const [left, right] = [4, WIDTH - 4]
  const band = scaleBand<Entity>(ENTITY_KINDS, [4, height - BELOW]).paddingInner(0.1)
  const x = scaleBand(classes, [left, right]).padding(0.15)
  return (
    <Drawing title={title} height={height}>
      {classes.map((age) => (
        <Words
          key={age}
          x={(x(age) ?? 0) + x.bandwidth() / 2}
          y={height - BELOW + 9}
          at="top"
          anchor="middle"
        >
          {age}
        </Words>
      ))}
      {ENTITY_KINDS.map((kind) => {
        const top = band(kind) ?? 0
        const base = top + band.bandwidth()
        const y = scaleLinear([0, most], [base, top + 38])
        return (
          <g key={kind}>
            <Rule from={left} to={right} y={base} />
            {rows.map(({ [kind]: count }, n) => {
              const age = classes[n] ?? ''
              const place = x(age) ?? 0
              return (
                <g key={age}>
                  <Bar
                    x={place}
                    y={y(count)}
                    width={x.bandwidth()}
                    height={base - y(count)}
                    fill="var(--accent)"
                  />
                  {count === 0 ? null : (
                    <Words x={place + x.bandwidth() / 2} y={y(count) - 3} at="bottom" anchor="middle">
                      {number(count)}
                    </Words>
                  )}
                </g>
              )
            })}
            <Words class="label" x={left} y={top} at="top">
              {labels[kind]}
            </Words>
          </g>
        )
      })}
    </Drawing>
  )
}

export interface Reason {
  readonly outcome: string
  readonly label: string
  readonly count: number
}

/** Draws a bar with a label for each reason, most frequent first. */
export function drawReasons(title: string, reasons: readonly Reason[]): VNode {
  const rowHeight = 36
  const x = scaleLinear([0, Math.max(...reasons.map(({ count }) => count))], [2, WIDTH - 2])
  return (
    <Drawing title={title} height={rowHeight * reasons.length + 8}>
      {reasons.map(({ outcome, label, count }, n) => {
        const top = 2 + rowHeight * n
        return (
          <g key={label}>
            <Bar x={2} y={top + 22} width={x(count) - 2} height={10} fill={COLOURS[outcome]} />
            <Words class="label" x={2} y={top + 10}>
              {label}
            </Words>
          </g>
        )
      })}
    </Drawing>
  )
}
