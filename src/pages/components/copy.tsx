/** Component: a button that copies text. The button is hidden until a script shows it. */
import { Button, type ButtonKind } from './button.tsx'
import { describeInput, Hint } from './field-notes.tsx'
import type { Frame } from './layout.tsx'

interface CopyButtonProps {
  readonly frame: Frame
  readonly kind: ButtonKind
  /** The name of the copied text, for screen readers. */
  readonly label: string
}

/** Renders a button that copies the text of the preceding element. */
export const CopyButton = ({ frame: { t }, kind, label }: CopyButtonProps) => (
  <Button
    type="button"
    kind={kind}
    icon="copy"
    data-copy
    data-done={t('copy.done')}
    data-selected={t('copy.selected')}
    hidden
  >
    {t('copy')}
    <span class="unseen">: {label}</span>
  </Button>
)

interface CopyFieldProps {
  readonly frame: Frame
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly value: string
}

export const CopyField = ({ frame, id, label, hint, value }: CopyFieldProps) => (
  <div class="field copy-field">
    <label for={id}>{label}</label>
    <Hint id={id} hint={hint} />
    <input type="text" id={id} value={value} readonly {...describeInput(id, { hint })} />
    <CopyButton frame={frame} kind="tonal" label={label} />
  </div>
)
