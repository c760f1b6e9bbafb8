/** Page: asks for confirmation before an action that takes effect immediately. */
import { ConfirmationForm, type ConfirmationFormProps } from '../settings/parts.tsx'
import { Shell } from '../shell.tsx'
import type { ClientAsk } from './ask.ts'

interface ConfirmationProps extends ConfirmationFormProps {
  readonly ask: Pick<ClientAsk, 'visit' | 't'>
  readonly title: string
}

export const Confirmation = ({ ask, title, ...form }: ConfirmationProps) => (
  <Shell visit={ask.visit} title={title} class="client-page">
    <ConfirmationForm ask={ask} {...form} />
  </Shell>
)
