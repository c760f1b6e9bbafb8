/** The life of one KYB application, from its creation to the end of its review. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  uuid4,
} from '@temporalio/workflow'
import {
  decideKyb,
  KYB_COMMANDS,
  type KybCommandKind,
  type KybSnapshot,
  kybEnded,
  kybWaitingOn,
  parseKybFact,
} from '../src/domain/kyb/application.ts'
import type { KybApplicationActivities } from './activities.ts'
import { Entity, handleCommands, leavesRules } from './entity.ts'
import { type EntityStart, editLock, fact, kindOf, requirements, resync } from './messages.ts'
import { PERSISTENT, WITHIN_TASK } from './policies.ts'
import { createShow, pendingLine } from './show.ts'

const { applyKybCommands, applyKybFact, loadKybApplication, recordMalformedKybFact, signalIdentification } =
  proxyActivities<KybApplicationActivities>(PERSISTENT)
const local = proxyLocalActivities<KybApplicationActivities>(WITHIN_TASK)

export async function kybApplication({ id, vaultId, state }: EntityStart<KybSnapshot>): Promise<void> {
  const show = createShow()
  const entity = new Entity(state, (snapshot) => show(describe(vaultId, snapshot)))
  handleCommands<KybSnapshot, KybCommandKind>(
    entity,
    { id, vaultId },
    {
      kinds: KYB_COMMANDS,
      decide: decideKyb,
      activity: applyKybCommands,
      localActivity: local.applyKybCommands,
    },
  )
  setHandler(
    fact,
    async (message) => {
      const malformedId = uuid4()
      if (!leavesRules() && !parseKybFact(message))
        return recordMalformedKybFact({ id, vaultId, factId: malformedId })
      await entity.transition(({ version }) =>
        applyKybFact.executeWithOptions({ summary: kindOf(message) }, [
          { id, vaultId, fact: message, malformedId, version },
        ]),
      )
    },
    {
      description:
        'Something that happened: {"id": "<any new text>", "kind": "identification_closed" or "beneficiary_verified"}.',
    },
  )
  setHandler(resync, () => entity.transition(() => loadKybApplication({ id, vaultId })), {
    description: 'Reads the state of the application again from the database.',
  })
  setHandler(
    requirements,
    () => ({ missing: entity.state.missing, missingCount: entity.state.missingCount }),
    { description: 'The first paths of what the application still lacks, and how many there are.' },
  )
  setHandler(editLock, () => decideKyb(entity.state, 'patch'), {
    description: 'Null while the application may be edited, else the reason why not.',
  })

  const hasEnded = (snapshot: KybSnapshot) => snapshot.ended ?? kybEnded(snapshot)
  if ((await entity.endOrContinue(hasEnded)) === 'continue') {
    await continueAsNew<typeof kybApplication>({ id, vaultId, state: entity.state })
  }
  await signalIdentification({ id, vaultId })
  // What came meanwhile is recorded before the workflow is over.
  await condition(allHandlersFinished)
}

function describe(vaultId: string, snapshot: KybSnapshot) {
  const { missing, missingCount, review } = snapshot
  const more = missingCount - missing.length
  return {
    vault: vaultId,
    kind: 'kyb' as const,
    status: snapshot.status,
    waitingOn: snapshot.waitingOn ?? kybWaitingOn(snapshot),
    lines: [
      `**Identification:** \`identification-${snapshot.identificationId}\``,
      review
        ? `**Last decision:** ${review.outcome} (${review.reasonCode}) at ${review.decidedAt}`
        : '**Last decision:** none yet',
      ...pendingLine(snapshot),
      '**Next timer:** none, it waits for a message',
      missingCount === 0
        ? '**Missing:** nothing'
        : `**Missing (${missingCount}):**\n\n${missing.map((path) => `- \`${path}\``).join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`,
    ],
  }
}
