/** Component: a button that copies a text on the page. A script shows it. */
import { Button, type ButtonKind } from './button.tsx'

interface CopyButtonProps {
  /** The ID of the element with the text. */
  readonly of: string
  readonly kind: ButtonKind
  readonly label: string
  readonly done: string
  /** Shown if the browser provides no clipboard, so that the script can only select the text. */
  readonly selected: string
}

export const CopyButton = ({ of, kind, label, done, selected }: CopyButtonProps) => (
  <Button
    type="button"
    kind={kind}
    icon="copy"
    data-copy={of}
    data-done={done}
    data-selected={selected}
    hidden
  >
    {label}
  </Button>
)
