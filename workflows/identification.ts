/** The life of one identification: its transitions, and the facts it follows. */
import { continueAsNew, proxyActivities, setHandler, uuid4 } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import {
  identificationEnded,
  identificationStatus,
  identificationWaitingOn,
  parseFact,
} from '../src/domain/identification.ts'
import { Entity } from './entity.ts'
import { type EntityStart, fact, type IdentificationSnapshot, resync } from './messages.ts'
import { PERSISTENT } from './policies.ts'
import { createShow } from './show.ts'

const { applyIdentificationFact, loadIdentification, recordMalformedFact } =
  proxyActivities<Activities>(PERSISTENT)

export async function identification({ id, vaultId, state }: EntityStart<IdentificationSnapshot>) {
  const show = createShow()
  const entity = new Entity(state, (snapshot) => show(describe(vaultId, snapshot)))
  setHandler(
    fact,
    async (argument) => {
      const parsed = parseFact(argument)
      if (!parsed) return recordMalformedFact({ id, vaultId, factId: uuid4() })
      await entity.transition(({ version }) =>
        applyIdentificationFact.executeWithOptions({ summary: parsed.kind }, [
          { id, vaultId, fact: parsed, version },
        ]),
      )
    },
    {
      description: 'Something that happened: {id, kind: "kyb_processed", outcome: "approved" | "rejected"}.',
    },
  )
  setHandler(resync, () => entity.transition(() => loadIdentification({ id, vaultId })), {
    description: 'Reads the state of the identification again from the database.',
  })

  if ((await entity.endOrContinue(identificationEnded)) === 'continue') {
    await continueAsNew<typeof identification>({ id, vaultId, state: entity.state })
  }
}

const describe = (vaultId: string, snapshot: IdentificationSnapshot) => ({
  vault: vaultId,
  kind: 'identification' as const,
  status: identificationStatus(snapshot),
  waitingOn: identificationWaitingOn(snapshot),
  lines: [`**Kind:** ${snapshot.kind}`, '**Next timer:** none, it waits for a message'],
})
