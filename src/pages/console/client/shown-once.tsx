/** Page: a secret or a link that is shown only once, to be copied. */
import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { Shell } from '../shell.tsx'
import type { ClientAsk } from './ask.ts'

interface ShownOnceProps {
  readonly ask: Pick<ClientAsk, 'visit' | 'frame' | 't'>
  readonly title: string
  readonly id: 'secret' | 'link'
  readonly label: string
  readonly hint: string
  readonly value: string
  /** The address of the next page. */
  readonly next: string
  readonly children?: ComponentChildren
}

export const ShownOnce = ({ ask: { visit, frame, t }, title, next, children, ...field }: ShownOnceProps) => (
  <Shell visit={visit} title={title} class="client-page">
    <div class="card">
      <CopyField frame={frame} {...field} />
      {children}
      <div class="actions">
        <ButtonLink href={next}>{t('settings.goOn')}</ButtonLink>
      </div>
    </div>
  </Shell>
)
