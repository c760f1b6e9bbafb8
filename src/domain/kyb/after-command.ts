/** An application as a command left it, whatever came after the command. */
import { type KybState, OUTCOME_OF } from './application.ts'
import type { KybApplication } from './record.ts'
import type { KybCommand, KybDecision } from './transition.ts'

interface Applied {
  readonly command: KybCommand
  readonly state: KybState
  readonly appliedAt: Date
}

/** Returns what the command says itself, and otherwise what there is now. */
export function applicationAfter(
  { command, state, appliedAt }: Applied,
  now: KybApplication,
): KybApplication {
  if (state.version === now.state.version) return now
  const left = { ...now, state, updatedAt: appliedAt }
  const outcome = OUTCOME_OF[command.kind]
  if (!outcome) return left
  const decision = command as KybDecision
  if (state.pending) return { ...left, proposal: decision }
  const { reasonCode, clientComment = null, findings = [] } = decision
  return { ...left, review: { outcome, reasonCode, clientComment, findings, decidedAt: appliedAt } }
}
