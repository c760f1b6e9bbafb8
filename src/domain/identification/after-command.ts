/** Rules for responses to commands, which show the identification as the command left it, even if others followed. */
import type { Applied } from '../decision/transition.ts'
import { reviewOf } from './change.ts'
import { type IdentificationState, MOVES } from './identification.ts'
import type { Identification, IdentificationDecision } from './record.ts'
import type { IdentificationCommand } from './transition.ts'

/** Returns the identification after the command. Data that the command does not determine is current. */
export function identificationAfter(
  { command, state, appliedAt }: Applied<IdentificationCommand, IdentificationState>,
  now: Identification,
): Identification {
  if (state.version === now.state.version) return now
  const left = { ...now, state, updatedAt: appliedAt }
  if (command.kind === 'edit_profile') {
    const { name, surname } = command.changes
    return { ...left, name: name ?? now.name, surname: surname ?? now.surname }
  }
  if (!isDecision(command)) return left
  if (state.pending) return { ...left, proposal: command }
  const { kind, fields = [], ...decision } = command
  return { ...left, review: reviewOf(now, MOVES[kind].to, decision, fields, appliedAt, 'operator') }
}

const isDecision = (command: IdentificationCommand): command is IdentificationDecision =>
  Object.hasOwn(MOVES, command.kind)
