/** Component: the owners' shares as one bar with a legend. */

interface Share {
  readonly name: string
  /** The share in per cent. */
  readonly percent: number
  /** The share as text, such as "25%". */
  readonly text: string
}

const GAP = 0.6

interface ShareBarProps {
  readonly shares: readonly Share[]
  /** False if the names and shares are listed below the bar. */
  readonly hasLegend?: boolean
}

export function ShareBar({ shares, hasLegend = true }: ShareBarProps) {
  const total = Math.max(
    100,
    shares.reduce((sum, { percent }) => sum + percent, 0),
  )
  let start = 0
  const bars = shares.map(({ percent }, index) => {
    const x = (start / total) * 100
    start += percent
    // No gap follows the last part of a full bar, so that the part ends at the edge.
    const gap = start < total ? GAP : 0
    return { x, width: Math.max(0.4, (percent / total) * 100 - gap), fill: `share-${(index % 6) + 1}` }
  })
  return (
    <>
      <svg class="share-bar" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
        <rect class="share-rest" width="100" height="14" rx="1" />
        {bars.map(({ x, width, fill }) => (
          <rect key={x} class={fill} x={x} width={width} height="14" />
        ))}
      </svg>
      {hasLegend ? (
        <ul class="legend">
          {shares.map(({ name, text }, index) => (
            <li key={name}>
              <span class={`legend-colour share-${(index % 6) + 1}`} />
              {name} <strong class="number">{text}</strong>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}
