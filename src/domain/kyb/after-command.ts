/** Rules for responses to commands, which show the application as the command left it, even if others followed. */
import type { Applied } from '../decision/transition.ts'
import { type KybState, OUTCOME_OF } from './application.ts'
import type { KybApplication, KybCommand, KybDecision } from './record.ts'

/** Returns the application after the command. Data that the command does not determine is current. */
export function applicationAfter(
  { command, state, appliedAt }: Applied<KybCommand, KybState>,
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
