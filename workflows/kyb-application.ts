/** The life of one KYB application, from its creation to the end of its review. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
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
} from '../src/domain/kyb-application.ts'
import type { KybApplicationActivities } from './activities.ts'
import { Entity, handleCommands } from './entity.ts'
import { type EntityStart, editLock, fact, requirements, resync } from './messages.ts'
import { PERSISTENT } from './policies.ts'
import { createShow, pendingLine } from './show.ts'

const { applyKybCommands, applyKybFact, loadKybApplication, recordMalformedKybFact, tellIdentification } =
  proxyActivities<KybApplicationActivities>(PERSISTENT)

export async function kybApplication({ id, vaultId, state }: EntityStart<KybSnapshot>): Promise<void> {
  const show = createShow()
  const entity = new Entity(state, (snapshot) => show(describe(vaultId, snapshot)))
  handleCommands<KybSnapshot, KybCommandKind>(entity, {
    kinds: KYB_COMMANDS,
    decide: decideKyb,
    apply: (messages, { version }) =>
      applyKybCommands.executeWithOptions({ summary: messages.map(({ kind }) => kind).join(', ') }, [
        { id, vaultId, commandIds: messages.map(({ commandId }) => commandId), version },
      ]),
  })
  setHandler(
    fact,
    async (message) => {
      const parsed = parseKybFact(message)
      if (!parsed) return recordMalformedKybFact({ id, vaultId, factId: uuid4() })
      await entity.transition(({ version }) =>
        applyKybFact.executeWithOptions({ summary: parsed.kind }, [{ id, vaultId, fact: parsed, version }]),
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

  if ((await entity.endOrContinue(kybEnded)) === 'continue') {
    await continueAsNew<typeof kybApplication>({ id, vaultId, state: entity.state })
  }
  await tellIdentification({ id, vaultId })
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
    waitingOn: kybWaitingOn(snapshot),
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
