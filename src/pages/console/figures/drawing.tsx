/**
 * Component: the parts of charts, rendered on the server. Chart libraries need either inline styles, which the content
 * security policy forbids, or a canvas, which screen readers cannot read. Horizontal positions are percentages, so that
 * texts keep their size.
 */
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { ComponentChildren } from 'preact'

/** Rounds to a tenth, because smaller differences are not visible. */
export const rounded = (value: number) => Math.round(value * 10) / 10

export const percentOf = (share: number) => `${rounded(100 * share)}%`

export interface Wording {
  readonly date: (date: Date) => string
  readonly number: (value: number) => string
  /** Formats a number for an axis, in few characters. */
  readonly short: (value: number) => string
}

export const PLOT_HEIGHT = 190

interface DrawingProps {
  /** The description of the chart for screen readers. */
  readonly title: string
  /** Leaves space for labels at the ends of lines. */
  readonly hasEndLabels?: boolean
  /** Leaves space for the units of the axis. */
  readonly hasUnits?: boolean
  readonly children: ComponentChildren
}

/** Renders a chart. Leaves space for the axes, which are outside the image. */
export const Drawing = ({ title, hasEndLabels = false, hasUnits = false, children }: DrawingProps) => (
  <div
    class={['drawing', hasEndLabels && 'drawing-labelled', hasUnits && 'drawing-units']
      .filter(Boolean)
      .join(' ')}
  >
    <svg class="plot" width="100%" height={PLOT_HEIGHT} role="img">
      <title>{title}</title>
      {children}
    </svg>
  </div>
)

interface AxisProps {
  readonly ticks: readonly number[]
  readonly y: (value: number) => number
  readonly text: (value: number) => string
}

export const Axis = ({ ticks, y, text }: AxisProps) => (
  <>
    {ticks.map((tick) => (
      <g key={tick}>
        <line class="plot-rule" x1="0" x2="100%" y1={rounded(y(tick))} y2={rounded(y(tick))} />
        <text x="-8" y={rounded(y(tick))} dy="0.32em" text-anchor="end">
          {text(tick)}
        </text>
      </g>
    ))}
  </>
)

const MAX_DATES = 4

interface DatesProps {
  readonly days: readonly string[]
  /** Returns the horizontal position of a day, from 0 to 1. */
  readonly shareOf: (index: number) => number
  readonly date: Wording['date']
}

const dateOf = (day: string) => new Date(`${day}T00:00:00Z`)

/** Labels some of the days below the chart. */
export function Dates({ days, shareOf, date }: DatesProps) {
  const step = Math.ceil(days.length / MAX_DATES)
  return (
    <>
      {days.map((day, index) =>
        index % step === 0 ? (
          <text key={day} x={percentOf(shareOf(index))} y={PLOT_HEIGHT + 20} text-anchor="middle">
            {date(dateOf(day))}
          </text>
        ) : null,
      )}
    </>
  )
}

export interface Series {
  readonly name: string
  readonly label: string
}

/** The colour of each state, which is the same in all charts, and its texture, by which it differs without colour. */
export const LOOKS: Readonly<Record<string, readonly [color: string, texture?: keyof typeof ANGLES]>> = {
  approved: ['--success-500'],
  completed: ['--success-500'],
  rejected: ['--danger-500', 'diagonal'],
  failed: ['--danger-500', 'diagonal'],
  more_asked: ['--warning-500', 'vertical'],
  partial: ['--warning-500', 'vertical'],
  in_review: ['--accent', 'horizontal'],
  attention: ['--accent', 'horizontal'],
  kyb: ['--accent'],
  median: ['--accent'],
  identification: ['--accent', 'dots'],
  closed: ['--quiet'],
  p90: ['--faint'],
  waiting: ['--control', 'dots'],
  unfinished: ['--control', 'dots'],
}

/** The angle of the stripes of each texture. */
const ANGLES = { vertical: 0, diagonal: 45, horizontal: 90, dots: 0 } as const

const colorOf = (series: string): string => `var(${LOOKS[series]?.[0]})`

/** Returns the fill of a state. */
export const fillOf = (series: string): string =>
  LOOKS[series]?.[1] ? `url(#texture-${series})` : colorOf(series)

/** Defines the textures for all charts of a page. A hidden chart would hide its own. */
export const Textures = () => (
  <svg class="unseen" width={0} height={0} aria-hidden="true">
    <defs>
      {Object.entries(LOOKS).map(([series, [, texture]]) =>
        texture === undefined ? null : (
          <pattern
            key={series}
            id={`texture-${series}`}
            width={5}
            height={5}
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${ANGLES[texture]})`}
            fill={colorOf(series)}
          >
            <rect width={5} height={5} fill-opacity={0.25} />
            {texture === 'dots' ? <circle cx={2.5} cy={2.5} r={1.5} /> : <rect width={3} height={5} />}
          </pattern>
        ),
      )}
    </defs>
  </svg>
)

export const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul class="legend">
    {series.map(({ name, label }) => (
      <li key={name}>
        <svg width={10} height={10} aria-hidden="true">
          <rect width={10} height={10} rx={3} fill={fillOf(name)} />
        </svg>
        {label}
      </li>
    ))}
  </ul>
)

interface SparkProps {
  /** The values in chronological order. A value is null if there is no data. */
  readonly values: readonly (number | null)[]
}

const SPARK = { width: 96, height: 32 }

/** The minimum number of points that a line connects. A line through fewer points would suggest a trend. */
export const MIN_LINE_POINTS = 5

/** Renders a small line without axes, or nothing if there are few values. */
export function Spark({ values }: SparkProps) {
  const known = values.filter((value) => value !== null)
  if (known.length < MIN_LINE_POINTS) return null
  const { width, height } = SPARK
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const x = scaleLinear([0, known.length - 1], [0, width])
  const y = scaleLinear(least === most ? [0, 2 * most] : [least, most], [height - 2, 2])
  const xOf = (_value: number, index: number) => rounded(x(index))
  const yOf = (value: number) => rounded(y(value))
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <path class="spark-area" d={area<number>(xOf, height, yOf)(known) ?? undefined} />
      <path class="spark-line" d={line<number>(xOf, yOf)(known) ?? undefined} />
    </svg>
  )
}
