/** Component: names the first missing detail of a page to which the applicant returns. A script moves the focus there. */
import { Banner } from '../components/banner.tsx'
import type { Frame } from '../components/layout.tsx'

interface GapProps {
  readonly frame: Frame
  /** The element ID and the label of the field. */
  readonly place: string
  readonly label: string
  /** The number of missing details on the page. */
  readonly count: number
}

export const Gap = ({ frame: { t }, place, label, count }: GapProps) => (
  <Banner tone="warning" title={t('check.missing', { count })}>
    <a href={`#${place}`} data-gap>
      {label}
    </a>
  </Banner>
)
