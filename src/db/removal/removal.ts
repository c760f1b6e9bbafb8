/**
 * Queries that remove entered data. They decide whether removed data is erased, or kept for operators because of a legal
 * hold or an open case. No other code removes a value or a file from a record.
 */
import { and, asc, eq, gt, lte, ne } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { beneficiaries, files, keptValues, kybApplications, screeningHits } from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { hasDeclined } from '../../domain/identification/person-form.ts'
import type { DecidedIdentification, Identification } from '../../domain/identification/record.ts'
import { namedFiles } from '../../domain/kyb/content.ts'
import { type Beneficiary, personIn } from '../../domain/kyb/fields.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { isAboutPerson } from '../../domain/kyb/requirements.ts'
import {
  ENTITY_PATH,
  peopleIn,
  type Removed,
  removedFromContent,
  removedFromProfile,
  WITHDRAWAL_PATH,
} from '../../domain/review/removed.ts'
import { deleteRemovedBeneficiary, getRowOfCheckForUpdate } from '../cases/beneficiary.ts'
import { type DecidedContent, readDecided, sealDecidedContent } from '../cases/decided-content.ts'
import { getIdentificationForUpdate } from '../cases/identification.ts'
import { findKeptValues, keptContext } from '../cases/kept-value.ts'
import { getKybApplicationForUpdate, personContext } from '../cases/kyb-application.ts'
import { keepFindings, keepInternalNotes } from '../commands/timeline.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { detachFiles } from '../files/file.ts'
import { hashCompany, hashProfile } from '../lists/lookup.ts'
import { deleteNameParts, insertNameParts } from '../lists/name-parts.ts'
import { requireScreening } from '../screening/screening.ts'
import { recountHits } from '../screening/screening-hit.ts'
import { eraseRows } from './erasure.ts'
import { isErasureForbidden } from './retention.ts'

type Person = EntityRef<'identification'>
type Company = EntityRef<'kyb'>

/**
 * Removes the values and photos that the change takes out of the profile. A withdrawal of consent also removes the
 * screening hits. Returns the IDs of files whose blobs must be removed after the commit.
 */
export async function removeFromProfile(tx: Database, before: Identification, after: Identification) {
  const { id, vaultId } = before
  const target: Person = { entity: 'identification', id, vaultId }
  const declinedAt = hasDeclined(before.profile) ? undefined : after.profile[WITHDRAWAL_PATH]
  const removed = [
    ...removedFromProfile(before.profile, after.profile, before.form),
    ...(declinedAt === undefined ? [] : [{ path: WITHDRAWAL_PATH, value: declinedAt, isFile: false }]),
  ]
  if (removed.length === 0) return []
  const photos = removed.filter(({ isFile }) => isFile).map(({ value }) => String(value))
  if (await isErasureForbidden(tx, id))
    return keep(tx, target, id, removed, photos, hashProfile(tx, before.profile))
  if (declinedAt !== undefined) return eraseEntered(tx, target)
  if (photos.length > 0) await detachFiles(tx, eqAny(files.id, photos), 'for a day')
  return []
}

/**
 * Removes the values, files and people that the change takes out of the content. Returns the IDs of files whose blobs
 * must be removed after the commit.
 */
export async function removeFromContent(
  tx: Database,
  before: KybApplication,
  after: Pick<KybApplication, 'form' | 'content'>,
): Promise<string[]> {
  const { id, vaultId, identificationId } = before
  const removed = removedFromContent(after.form, before.content, after.content)
  if (removed.length === 0) return []
  const target: Company = { entity: 'kyb', id, vaultId }
  const named = namedFiles(after.form, after.content)
  const unnamed = [...before.files.keys()].filter((file) => !named.has(file))
  if (await isErasureForbidden(tx, identificationId))
    return keep(tx, target, identificationId, removed, unnamed, hashCompany(tx, before.content))
  const people = missingPeople(after, removed)
  if (people.length > 0) return removePeople(tx, target, people, unnamed)
  if (unnamed.length > 0) await detachFiles(tx, eqAny(files.id, unnamed), 'for a day')
  return []
}

const missingPeople = ({ content }: Pick<KybApplication, 'content'>, removed: readonly Removed[]) =>
  peopleIn(removed).filter((person) => personIn(content, person) === undefined)

/**
 * Erases the check of a person who was removed or replaced before submitting it. Only the identification's row remains.
 * Returns the IDs of files whose blobs must be removed after the commit.
 */
export async function removeUnsubmitted(tx: Database, check: DecidedIdentification): Promise<string[]> {
  const { id, vaultId } = check
  if (await isErasureForbidden(tx, id)) {
    const whole = { path: ENTITY_PATH, value: null, isFile: false }
    return keep(tx, { entity: 'identification', id, vaultId }, id, [whole], [], {})
  }
  const erased = await eraseRows(tx, { ...check, kyb: null, beneficiaryIds: [] }, [])
  await deleteRemovedBeneficiary(tx, id)
  return erased
}

/** The values that a lookup finds, with the kind of their hashes. */
const LOOKUPS: Readonly<Record<string, 'emailHash' | 'nameHash'>> = {
  email: 'emailHash',
  name: 'nameHash',
  surname: 'nameHash',
  'nature_of_business.email': 'emailHash',
  'nature_of_business.legal_company_name': 'nameHash',
}

/** Keeps removed values and files for operators. The client and the applicant no longer see them. Erases no files. */
async function keep(
  tx: Database,
  { entity, id: entityId, vaultId }: EntityRef,
  identificationId: string,
  removed: readonly Removed[],
  fileIds: readonly string[],
  hashes: { readonly emailHash?: Buffer | null; readonly nameHash?: Buffer | null },
): Promise<string[]> {
  await tx.orm.insert(keptValues).values(
    removed.map(({ path, value, isFile }) => {
      const id = newId()
      const sealed = tx.encryption.sealJson(value, keptContext(id))
      const column = LOOKUPS[path]
      const lookupHash = column ? (hashes[column] ?? null) : null
      return { id, vaultId, entity, entityId, identificationId, path, isFile, value: sealed, lookupHash }
    }),
  )
  await insertNameParts(tx, [{ id: entityId, vaultId }])
  await tx.orm.update(files).set({ state: 'withheld' }).where(eqAny(files.id, fileIds))
  return []
}

/** A record with kept values, and the ID of one of them. */
interface Kept {
  readonly id: string
  readonly target: EntityRef
  readonly identificationId: string
}

/** Returns a page of kept values, by ID. */
export async function findKept(db: Database, after: string, limit: number): Promise<Kept[]> {
  const rows = await db.orm
    .select({
      id: keptValues.id,
      target: { entity: keptValues.entity, id: keptValues.entityId, vaultId: keptValues.vaultId },
      identificationId: keptValues.identificationId,
    })
    .from(keptValues)
    .where(gt(keptValues.id, after))
    .orderBy(asc(keptValues.id))
    .limit(limit)
  return rows as Kept[]
}

/**
 * Erases the kept data of a record, once no legal hold and no open case remains. Returns the IDs of files whose blobs must be
 * removed after the commit.
 */
export const eraseKept = (db: Database, { target, identificationId }: Kept): Promise<string[]> =>
  transaction(db, async (tx) => {
    const { entity, id, vaultId } = target
    if (entity === 'kyb') {
      const application = await getKybApplicationForUpdate(tx, vaultId, id)
      if (!application || (await isErasureForbidden(tx, identificationId))) return []
      return eraseKeptOfCompany(tx, application)
    }
    // Every transaction locks the beneficiary's row before the identification's row.
    await getRowOfCheckForUpdate(tx, id)
    const check = await getIdentificationForUpdate(tx, vaultId, id)
    if (!check || (await isErasureForbidden(tx, identificationId))) return []
    return eraseKeptOfPerson(tx, check)
  })

async function eraseKeptOfPerson(tx: Database, check: DecidedIdentification): Promise<string[]> {
  const { id, vaultId } = check
  const target: Person = { entity: 'identification', id, vaultId }
  const kept = await findKeptValues(tx, target)
  if (kept.some(({ path }) => path === ENTITY_PATH)) return removeUnsubmitted(tx, check)
  const withdrawal = kept.findLast(({ path }) => path === WITHDRAWAL_PATH)
  if (withdrawal) await eraseFindings(tx, target, withdrawal.removedAt)
  return deleteKept(tx, target)
}

async function eraseKeptOfCompany(tx: Database, application: KybApplication): Promise<string[]> {
  const target: Company = { entity: 'kyb', id: application.id, vaultId: application.vaultId }
  const kept = await findKeptValues(tx, target)
  const people = missingPeople(application, kept)
  const erased = await deleteKept(tx, target)
  if (people.length > 0) await removePeople(tx, target, people, erased)
  return erased
}

/** Deletes the kept values with their search hashes, and detaches the withheld files. */
async function deleteKept(tx: Database, { entity, id, vaultId }: EntityRef): Promise<string[]> {
  await tx.orm.delete(keptValues).where(eq(keptValues.entityId, id))
  await deleteNameParts(tx, [id])
  await insertNameParts(tx, [{ id, vaultId }])
  await requireScreening(tx, { entity, id })
  const owner = entity === 'kyb' ? files.kybApplicationId : files.identificationId
  return detachFiles(tx, and(eq(owner, id), eq(files.state, 'withheld')), 'now')
}

/** Erases all data that the applicant entered, including kept data. Internal notes remain. */
async function eraseEntered(tx: Database, target: Person): Promise<string[]> {
  await eraseFindings(tx, target)
  await deleteKept(tx, target)
  // Leaves out uploads in progress, which Gatehouse refuses when they end.
  return detachFiles(tx, and(eq(files.identificationId, target.id), ne(files.state, 'uploading')), 'now')
}

/** Erases comments, findings and hits about the data, except for hits that an operator has confirmed. */
async function eraseFindings(tx: Database, { entity, id }: Person, until?: Date): Promise<void> {
  const { entityId, status, foundAt } = screeningHits
  await tx.orm
    .delete(screeningHits)
    .where(and(eq(entityId, id), ne(status, 'confirmed'), until && lte(foundAt, until)))
  await recountHits(tx, { entity, id })
  await keepInternalNotes(tx, id, until)
}

/**
 * Removes data about removed people from an application, its reviews and its screening. Returns the IDs of the detached
 * files, whose blobs must be removed after the commit.
 */
async function removePeople(
  tx: Database,
  { id, vaultId }: Company,
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
  return detachFiles(tx, eqAny(files.id, fileIds), 'now')
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
