/**
 * Component: the frame, bars, lines and texts of charts, rendered as SVG on the server. Chart libraries need inline styles,
 * which the policy forbids, or a canvas, which screen readers cannot read.
 */
import type { scaleUtc } from 'd3-scale'
import type { ComponentChildren } from 'preact'

/** The width in SVG units, which fits a phone and a card on a wide screen. */
export const WIDTH = 380
/** Leaves room for the numbers of an axis. */
export const LEFT = 34
export const RIGHT = WIDTH - 8
/** Leaves room for the dates or classes below. */
export const BELOW = 24

/** Rounds to a tenth of a unit. Smaller differences are not visible. */
export const rounded = (value: number) => Math.round(value * 10) / 10

export interface Wording {
  readonly date: (date: Date) => string
  readonly number: (value: number) => string
  /** Formats a number in few characters for an axis. */
  readonly short: (value: number) => string
  /** Formats a number to three significant digits. */
  readonly decimal: (value: number) => string
}

interface DrawingProps {
  /** Describes the chart for screen readers. */
  readonly title: string
  readonly height: number
  readonly children: ComponentChildren
}

export const Drawing = ({ title, height, children }: DrawingProps) => (
  <svg class="plot" width={WIDTH} height={height} viewBox={`0 0 ${WIDTH} ${height}`} role="img">
    <title>{title}</title>
    {children}
  </svg>
)

interface BarProps {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly fill: string | undefined
}

export const Bar = ({ x, y, width, height, fill }: BarProps) => (
  <rect x={rounded(x)} y={rounded(y)} width={rounded(width)} height={rounded(height)} fill={fill} />
)

export const Rule = ({ from, to, y }: { from: number; to: number; y: number }) => (
  <line x1={from} x2={to} y1={rounded(y)} y2={rounded(y)} stroke="var(--line)" />
)

/** Shifts a text so that its `y` is the top, the middle or the bottom of its letters. */
const SHIFT = { top: '0.71em', middle: '0.32em', bottom: undefined }

interface WordsProps {
  readonly x: number
  readonly y: number
  readonly at?: keyof typeof SHIFT
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly class?: string
  readonly children: ComponentChildren
}

export const Words = ({ x, y, at = 'middle', anchor = 'start', class: style, children }: WordsProps) => (
  <text x={rounded(x)} y={rounded(y)} dy={SHIFT[at]} text-anchor={anchor} class={style}>
    {children}
  </text>
)

type DateScale = ReturnType<typeof scaleUtc<number>>

export const Dates = ({
  x,
  count,
  y,
  date,
}: { x: DateScale; count: number; y: number } & Pick<Wording, 'date'>) => (
  <>
    {x.ticks(count).map((tick) => (
      <Words key={tick.getTime()} x={x(tick)} y={y} at="top" anchor="middle">
        {date(tick)}
      </Words>
    ))}
  </>
)
