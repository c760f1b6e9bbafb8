/** Why something is due, in words for whoever fills it in or reviews it. */
import type { Due } from '../../domain/kyb/requirements.ts'
import type { DueReason } from '../../domain/kyb/values.ts'
import type { Frame } from '../components/layout.tsx'
import { isTextName } from '../texts/index.ts'

export function dueText({ t }: Pick<Frame, 't'>, { path, reason }: Due): string {
  const because = `because.${path.split('.').at(-1)}`
  return [t(`due.${reason}`), isTextName(because) ? t(because) : null].filter(Boolean).join(' ')
}

/** What an empty field says by itself. */
const PLAIN: readonly DueReason[] = ['missing', 'unanswered', 'no_document', 'nobody_in_charge']

/** Why what is there does not count; null where nothing is there, or it counts. */
export function invalidText(frame: Pick<Frame, 't'>, due: readonly Due[], path: string): string | null {
  const found = due.find((each) => each.path === path)
  return found && !PLAIN.includes(found.reason) ? dueText(frame, found) : null
}
