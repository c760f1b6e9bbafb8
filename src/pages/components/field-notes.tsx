/** Component: the texts about an input, which the input names in its attributes. */
import type { FieldProblem } from './layout.tsx'

export interface Notes {
  readonly hint?: string | null | undefined
  /** The correction that a reviewer has requested. */
  readonly comment?: string | null | undefined
  readonly problem?: FieldProblem | undefined
}

export const fieldClass = ({ problem }: Notes): string => (problem ? 'field field-invalid' : 'field')

interface NotesProps extends Notes {
  readonly id: string
}

export const Hint = ({ id, hint }: NotesProps) =>
  hint ? (
    <p class="hint" id={`${id}-hint`}>
      {hint}
    </p>
  ) : null

/** Returns the message for a place that already shows the label. */
export function withoutLabel(label: string, message: string): string {
  if (!message.startsWith(`${label}: `)) return message
  const [first = '', ...rest] = message.slice(label.length + 2)
  return first.toUpperCase() + rest.join('')
}

interface ProblemTextProps extends NotesProps {
  /** The label that the page shows above the message. */
  readonly label: string
}

export const ProblemText = ({ id, label, problem }: ProblemTextProps) =>
  problem ? (
    <p
      class="problem"
      id={`${id}-problem`}
      {...(problem.theirs && { 'data-theirs': JSON.stringify(problem.theirs) })}
    >
      {withoutLabel(label, problem.message)}
    </p>
  ) : null

/** Returns the attribute that links a group of inputs to its texts. */
export function describeGroup(id: string, notes: Notes) {
  const ids = (['hint', 'comment', 'problem'] as const).flatMap((kind) =>
    notes[kind] ? `${id}-${kind}` : [],
  )
  return ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {}
}

/** Returns the attributes that link an input to its texts. */
export const describeInput = (id: string, notes: Notes) => ({
  ...describeGroup(id, notes),
  ...(notes.problem && { 'aria-invalid': 'true' as const }),
})
