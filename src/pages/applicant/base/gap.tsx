/** Component: names the first missing detail of a page to which the applicant returns. A script moves the focus there. */
import { Banner } from '../../components/banner.tsx'
import type { Frame } from '../../components/layout.tsx'
import { missingText } from './due.ts'

interface GapProps {
  readonly frame: Frame
  /** The element ID and the label of the field. */
  readonly place: string
  readonly label: string
  readonly answers: number
}

export const Gap = ({ frame, place, label, answers }: GapProps) => (
  <Banner tone="warning" title={missingText(frame, { answers })}>
    <a href={`#${place}`} data-gap>
      {label}
    </a>
  </Banner>
)
