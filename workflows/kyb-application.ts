/** Workflow: one KYB application, from its creation to the end of its review. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import {
  decideKyb,
  KYB_COMMANDS,
  type KybCommandKind,
  type KybSnapshot,
} from '../src/domain/kyb/application.ts'
import type { KybApplicationActivities } from './activities.ts'
import { openEntity } from './entity.ts'
import { type EntityStart, editLock, requirements } from './messages.ts'
import { PERSISTENT, WITHIN_TASK } from './policies.ts'
import { pendingLine, type Shown } from './show.ts'

const { applyKybCommands, applyKybFact, loadKybApplication, signalKybProcessed } =
  proxyActivities<KybApplicationActivities>(PERSISTENT)
const local = proxyLocalActivities<KybApplicationActivities>(WITHIN_TASK)

export async function kybApplication(start: EntityStart<KybSnapshot>): Promise<void> {
  const { id, vaultId } = start
  const application = openEntity<KybSnapshot, KybCommandKind>(start, {
    kinds: KYB_COMMANDS,
    decide: decideKyb,
    applyCommands: applyKybCommands,
    applyCommandsLocally: local.applyKybCommands,
    applyFact: applyKybFact,
    factDescription: FACTS,
    load: loadKybApplication,
    describe,
  })
  setHandler(
    requirements,
    () => ({ missing: application.state.missing, missingCount: application.state.missingCount }),
    { description: 'First paths of missing fields, and their total number.' },
  )
  setHandler(editLock, () => decideKyb(application.state, 'patch'), {
    description: 'Null if the application can be edited, otherwise the reason why it cannot.',
  })

  if ((await application.endOrContinue()) === 'continue') {
    await continueAsNew<typeof kybApplication>({ id, vaultId, state: application.state })
  }
  await signalKybProcessed({ id, vaultId })
  // Records messages that arrive in the meantime before the workflow ends.
  await condition(allHandlersFinished)
}

const FACTS = [
  'Records a fact. One of:',
  '{"id": "<any new text>", "kind": "company_closed"}',
  '{"id": "<any new text>", "kind": "beneficiary_verified"}',
  '{"id": "<any new text>", "kind": "beneficiary_updated"}',
  '{"id": "<any new text>", "kind": "profile_applies"}',
  'Gatehouse checks the fact in the database. Do not write personal data, because histories keep it.',
].join('\n')

function describe(state: KybSnapshot): Omit<Shown, 'vault'> {
  const { missing, missingCount, review } = state
  const more = missingCount - missing.length
  return {
    kind: 'kyb',
    status: state.status,
    waitingOn: state.waitingOn,
    lines: [
      `**Identification:** \`identification-${state.identificationId}\``,
      review
        ? `**Last decision:** ${review.outcome} (${review.reasonCode}) at ${review.decidedAt}`
        : '**Last decision:** none yet',
      ...pendingLine(state),
      '**Next timer:** none, it waits for a message',
      missingCount === 0
        ? '**Missing:** nothing'
        : `**Missing (${missingCount}):**\n\n${missing.map((path) => `- \`${path}\``).join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`,
    ],
  }
}
