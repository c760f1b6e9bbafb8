/** Queries that remove entered data after consent is withdrawn or a beneficiary is removed. */
import { and, eq, ne, type SQL } from 'drizzle-orm'
import { beneficiaries, files, kybApplications, screeningHits, timeline } from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import { isAboutPerson } from '../../domain/kyb/requirements.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { type DecidedContent, readDecided, sealDecidedContent } from './decided-content.ts'
import { personContext } from './kyb-application.ts'
import { recountHits } from './screening.ts'
import { keepFindings } from './timeline.ts'

/**
 * Removes the files, notes and hits that concern an applicant's data, except for hits that an operator has confirmed.
 * Returns the IDs of files whose blobs must be removed after the commit.
 */
export async function removeEnteredData(tx: Database, id: string): Promise<string[]> {
  await tx.orm.update(timeline).set({ notes: null }).where(eq(timeline.entityId, id))
  await tx.orm
    .delete(screeningHits)
    .where(and(eq(screeningHits.entityId, id), ne(screeningHits.status, 'confirmed')))
  await recountHits(tx, { entity: 'identification', id })
  // Leaves out uploads in progress, which Gatehouse refuses when they end.
  return detachPermanently(tx, and(eq(files.identificationId, id), ne(files.state, 'uploading')))
}

async function detachPermanently(tx: Database, which: SQL | undefined): Promise<string[]> {
  const detached = await tx.orm
    .update(files)
    .set({ state: 'detached', sha256: null, keptUntil: null })
    .where(which)
    .returning({ id: files.id })
  return detached.map(({ id }) => id)
}

/**
 * Removes data about removed people from an application, its reviews and its screening. Returns the IDs of the detached
 * files, whose blobs must be removed after the commit.
 */
export async function removePeople(
  tx: Database,
  { id, vaultId }: EntityRef<'kyb'>,
  people: readonly string[],
  fileIds: readonly string[],
): Promise<string[]> {
  for (const person of people)
    await tx.orm
      .update(beneficiaries)
      .set({ person: tx.encryption.sealJson({}, personContext(person)), emailHash: null })
      .where(eq(beneficiaries.id, person))
  const decided = await readDecided(tx, vaultId, id)
  if (decided) {
    const decidedContent = sealDecidedContent(tx, id, withoutPeople(decided, people, fileIds))
    await tx.orm.update(kybApplications).set({ decidedContent }).where(eq(kybApplications.id, id))
  }
  await keepFindings(tx, id, ({ path }) => !people.some((person) => isAboutPerson(path, person)))
  await tx.orm.delete(screeningHits).where(eqAny(screeningHits.subject, people))
  await recountHits(tx, { entity: 'kyb', id })
  return detachPermanently(tx, eqAny(files.id, fileIds))
}

/** Removes the data of these people. Keeps their IDs, so that the changes show the removal. */
function withoutPeople(
  { content, fileNames }: DecidedContent,
  people: readonly string[],
  fileIds: readonly string[],
): DecidedContent {
  const { beneficiaries_list: list, ...section } = content.beneficiaries
  const others = list.map((each) =>
    people.includes(each.external_id) ? ({ external_id: each.external_id } as Beneficiary) : each,
  )
  return {
    content: { ...content, beneficiaries: { ...section, beneficiaries_list: others } },
    fileNames: Object.fromEntries(Object.entries(fileNames).filter(([id]) => !fileIds.includes(id))),
  }
}
