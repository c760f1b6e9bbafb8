/** The life of one identification: its transitions, its verification check and the facts it follows. */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  uuid4,
} from '@temporalio/workflow'
import { BLOCK_REASONS } from '../src/domain/identification/holds.ts'
import {
  decideIdentification,
  IDENTIFICATION_COMMANDS,
  type IdentificationCommandKind,
  type IdentificationSnapshot,
  identificationEnded,
  identificationStatus,
  parseFact,
} from '../src/domain/identification/identification.ts'
import type { IdentificationActivities, PendingCheck, VerificationCheckActivities } from './activities.ts'
import { Entity, handleCommands, leavesRules } from './entity.ts'
import { type EntityStart, fact, holds, kindOf, resync } from './messages.ts'
import { ANSWER, CHECK, PERSISTENT, WITHIN_TASK } from './policies.ts'
import { createShow, pendingLine } from './show.ts'

const {
  applyIdentificationCommands,
  applyIdentificationFact,
  loadIdentification,
  recordMalformedFact,
  signalKybApplication,
  signalVerification,
} = proxyActivities<IdentificationActivities>(PERSISTENT)
const { runVerificationCheck } = proxyActivities<VerificationCheckActivities>(CHECK)
const { awaitVerificationAnswer } = proxyActivities<VerificationCheckActivities>(ANSWER)
const local = proxyLocalActivities<IdentificationActivities>(WITHIN_TASK)

export async function identification({
  id,
  vaultId,
  state,
}: EntityStart<IdentificationSnapshot>): Promise<void> {
  const show = createShow()
  /** How often it was seen not to wait for a check. */
  let interludes = 0
  const entity = new Entity(state, (snapshot) => {
    if (snapshot.waitingOn !== 'provider') interludes += 1
    show(describe(vaultId, snapshot))
  })
  handleCommands<IdentificationSnapshot, IdentificationCommandKind>(
    entity,
    { id, vaultId },
    {
      kinds: IDENTIFICATION_COMMANDS,
      decide: decideIdentification,
      activity: applyIdentificationCommands,
      localActivity: local.applyIdentificationCommands,
    },
  )
  setHandler(
    fact,
    async (message) => {
      const malformedId = uuid4()
      if (!leavesRules() && !parseFact(message))
        return recordMalformedFact({ id, vaultId, factId: malformedId })
      await entity.transition(({ version }) =>
        applyIdentificationFact.executeWithOptions({ summary: kindOf(message) }, [
          { id, vaultId, fact: message, malformedId, version },
        ]),
      )
    },
    { description: FACTS },
  )
  setHandler(resync, () => entity.transition(() => loadIdentification({ id, vaultId })), {
    description: 'Reads the state of the identification again from the database.',
  })
  setHandler(holds, () => entity.state.holds, {
    description: 'The holds in force: whose they are and which services they block.',
  })
  // Cancelling the workflow ends these with it; the workflow itself then ends as cancelled.
  for (const running of [check(), tell()]) {
    running.catch((error) => {
      if (!isCancellation(error)) throw error
    })
  }

  const hasEnded = (snapshot: IdentificationSnapshot) => snapshot.ended ?? identificationEnded(snapshot)
  if ((await entity.endOrContinue(hasEnded)) === 'continue') {
    await continueAsNew<typeof identification>({ id, vaultId, state: entity.state })
  }
  await signalKybApplication({ id, vaultId })
  // What came meanwhile is recorded before the workflow is over.
  await condition(allHandlersFinished)

  /** The result comes back as a fact: whatever else happens meanwhile goes on. */
  async function check(): Promise<void> {
    for (;;) {
      await condition(isChecked)
      const begun = interludes
      /** Histories of before this patch took a waiting that came while the check ended for the one before. */
      const isOver = () => !isChecked() || (interludes !== begun && patched('each-waiting-has-its-check'))
      const pending = await runVerificationCheck({ id, vaultId })
      if (pending) await answered(pending, isOver)
      else await condition(isOver)
    }
  }

  function isChecked(): boolean {
    return entity.state.waitingOn === 'provider'
  }

  /** Ends once the answer has come, its time is up or it is not waited for any more; the check's row says which. */
  async function answered({ checkId, waitMs }: PendingCheck, isOver: () => boolean): Promise<void> {
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
    await Promise.race([settled, condition(isOver)])
    settled.catch(() => {})
    scope.cancel()
  }

  /** The application of a beneficiary hears when the person is verified. */
  async function tell(): Promise<void> {
    if (entity.state.origin !== 'beneficiary') return
    await condition(() => entity.state.verification === 'approved')
    await signalVerification({ id, vaultId })
  }
}

const FACTS = [
  'Something that happened. One of:',
  '{"id": "<any new text>", "kind": "case_opened", "caseId": "<a new UUID>", "owner": "operator_operations" or "transaction_monitoring", "reason": "aml_review", "services": ["trades"] (all when absent)}',
  '{"id": "<any new text>", "kind": "case_closed", "caseId": "<the case>"}',
  '{"id": "<any new text>", "kind": "check_finished", "checkId": "<the check>"}: what came of it is in its row in the database',
  `"reason" is one of ${BLOCK_REASONS.join(', ')}. UUIDs are in lowercase. Write nothing personal: histories keep it.`,
].join('\n')

function describe(vaultId: string, snapshot: IdentificationSnapshot) {
  const { holds } = snapshot
  return {
    vault: vaultId,
    kind: 'identification' as const,
    status: snapshot.status ?? identificationStatus(snapshot),
    waitingOn: snapshot.waitingOn,
    lines: [
      `**Kind:** ${snapshot.kind}, came by ${snapshot.origin}`,
      `**Verification:** ${snapshot.verification}`,
      snapshot.waitingOn === 'provider'
        ? '**Next timer:** the verification check is under way, or will be tried again'
        : '**Next timer:** none, it waits for a message',
      ...pendingLine(snapshot),
      holds.length === 0
        ? '**Holds:** none'
        : `**Holds:**\n\n${holds.map(({ id, owner, services }) => `- ${owner} \`${id}\`: ${services.join(', ')}`).join('\n')}`,
    ],
  }
}
