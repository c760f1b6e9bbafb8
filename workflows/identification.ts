/**
 * Workflow: one identification. It also runs the verification check whenever the identification waits on the
 * provider.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import { BLOCK_REASONS } from '../src/domain/identification/holds.ts'
import {
  decideIdentification,
  IDENTIFICATION_COMMANDS,
  type IdentificationCommandKind,
  type IdentificationSnapshot,
} from '../src/domain/identification/identification.ts'
import type { IdentificationActivities, PendingCheck, VerificationCheckActivities } from './activities.ts'
import { type OpenEntity, openEntity } from './entity.ts'
import { type EntityStart, holds } from './messages.ts'
import { ANSWER, CHECK, PERSISTENT, WITHIN_TASK } from './policies.ts'
import { pendingLine, type Shown } from './show.ts'

const {
  applyIdentificationCommands,
  applyIdentificationFact,
  loadIdentification,
  signalIdentificationClosed,
  signalBeneficiaryVerified,
} = proxyActivities<IdentificationActivities>(PERSISTENT)
const { runVerificationCheck } = proxyActivities<VerificationCheckActivities>(CHECK)
const { awaitVerificationAnswer } = proxyActivities<VerificationCheckActivities>(ANSWER)
const local = proxyLocalActivities<IdentificationActivities>(WITHIN_TASK)

export async function identification(start: EntityStart<IdentificationSnapshot>): Promise<void> {
  const { id, vaultId } = start
  /**
   * The number of states so far in which the identification did not wait on the provider. An increase ends the current
   * wait.
   */
  let endedWaits = 0
  const entity = openEntity<IdentificationSnapshot, IdentificationCommandKind>(start, {
    kinds: IDENTIFICATION_COMMANDS,
    decide: decideIdentification,
    applyCommands: applyIdentificationCommands,
    applyCommandsLocally: local.applyIdentificationCommands,
    applyFact: applyIdentificationFact,
    factDescription: FACTS,
    load: loadIdentification,
    describe,
    onState({ waitingOn }) {
      if (waitingOn !== 'provider') endedWaits += 1
    },
  })
  setHandler(holds, () => entity.state.holds, {
    description: 'Holds in force, with their owners and blocked services.',
  })
  const waitsOnProvider = () => entity.state.waitingOn === 'provider'

  /** Runs a check whenever the identification waits on the provider. The result arrives as a fact. */
  async function check(): Promise<void> {
    for (;;) {
      await condition(waitsOnProvider)
      const ended = endedWaits
      const hasWaitEnded = () => endedWaits !== ended
      const pending = await runVerificationCheck({ id, vaultId })
      if (pending) await waitForResult(pending, hasWaitEnded)
      else await condition(hasWaitEnded)
    }
  }

  // Cancelling the workflow also cancels these tasks, so their cancellation is not an error.
  for (const running of [check(), reportVerified(entity, { id, vaultId })]) {
    running.catch((error) => {
      if (!isCancellation(error)) throw error
    })
  }

  if ((await entity.endOrContinue()) === 'continue') {
    await continueAsNew<typeof identification>({ id, vaultId, state: entity.state })
  }
  await signalIdentificationClosed({ id, vaultId })
  // Records messages that arrive in the meantime before the workflow ends.
  await condition(allHandlersFinished)
}

/**
 * Waits until the provider's result arrives, the time limit passes or the wait ends. The row of the check shows which
 * of these happened.
 */
async function waitForResult({ checkId, waitMs }: PendingCheck, hasWaitEnded: () => boolean): Promise<void> {
  const scope = new CancellationScope()
  const answer = scope.run(() =>
    awaitVerificationAnswer.executeWithOptions(
      { scheduleToCloseTimeout: waitMs, startToCloseTimeout: waitMs },
      [checkId],
    ),
  )
  const settled = answer.catch((error) => {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
  })
  await Promise.race([settled, condition(hasWaitEnded)])
  settled.catch(() => {})
  scope.cancel()
}

/** Notifies a beneficiary's application once the person is verified. */
async function reportVerified(
  entity: OpenEntity<IdentificationSnapshot>,
  ref: { readonly id: string; readonly vaultId: string },
): Promise<void> {
  if (entity.state.origin !== 'beneficiary') return
  await condition(() => entity.state.verification === 'approved')
  await signalBeneficiaryVerified(ref)
}

const FACTS = [
  'Records a fact. One of:',
  '{"id": "<any new text>", "kind": "case_opened", "caseId": "<a new UUID>", "owner": "operator_operations" or "transaction_monitoring", "reason": "aml_review", "services": ["trades"] (all if absent)}',
  '{"id": "<any new text>", "kind": "case_closed", "caseId": "<the UUID of the hold>"}',
  '{"id": "<any new text>", "kind": "check_finished", "checkId": "<the UUID of the check>"} (the check’s row holds the result)',
  '{"id": "<any new text>", "kind": "profile_applies"}',
  `"reason" is one of ${BLOCK_REASONS.join(', ')}. Write UUIDs in lower case. Do not write personal data, because histories keep it.`,
].join('\n')

function describe(state: IdentificationSnapshot): Omit<Shown, 'vault'> {
  const { holds } = state
  return {
    kind: 'identification',
    status: state.status,
    waitingOn: state.waitingOn,
    lines: [
      `**Kind:** ${state.kind}, source: ${state.origin}`,
      `**Verification:** ${state.verification}`,
      state.waitingOn === 'provider'
        ? '**Next timer:** the verification check is in progress or will be retried'
        : '**Next timer:** none, it waits for a message',
      ...pendingLine(state),
      holds.length === 0
        ? '**Holds:** none'
        : `**Holds:**\n\n${holds.map(({ id, owner, services }) => `- ${owner} \`${id}\`: ${services.join(', ')}`).join('\n')}`,
    ],
  }
}
