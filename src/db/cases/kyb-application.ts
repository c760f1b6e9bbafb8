/** Queries for KYB applications. Each is built from its row, its beneficiaries and its files. */

import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { type beneficiaries, kybApplications, vaults } from '../../../drizzle/schema.ts'
import type { Answers } from '../../domain/decision/decision.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { KybState } from '../../domain/kyb/application.ts'
import type { BeneficiaryCheck } from '../../domain/kyb/beneficiary-check.ts'
import { type Beneficiary, emptyContent } from '../../domain/kyb/fields.ts'
import type { Form } from '../../domain/kyb/form.ts'
import type { BeneficiaryLink, KybApplication, KybDecision } from '../../domain/kyb/record.ts'
import type { SealedContent } from '../../domain/kyb/summary.ts'
import { laterVersions, readForm, readLaterForms } from '../access/profile.ts'
import { cacheStatement, type Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull, type Read, sealedFor, strictly } from '../connection/sealed.ts'
import { type FileRow, fileDetails } from '../files/file.ts'

type Row = Omit<
  typeof kybApplications.$inferSelect,
  'decidedContent' | 'companyName' | 'countryHash' | 'riskHashes'
>
export type SealedReview = Answers &
  Pick<NonNullable<KybApplication['review']>, 'clientComment' | 'findings' | 'places'>

export const contentContext = (id: string) => sealedFor('kyb_applications.content', id)
export const reviewContext = (id: string) => sealedFor('kyb_applications.review', id)
export const proposalContext = (id: string) => sealedFor('kyb_applications.proposal', id)
export const personContext = (id: string) => sealedFor('beneficiaries.person', id)
export const tokenContext = (id: string) => sealedFor('beneficiaries.token', id)

/** Returns the vault's application, locked until the transaction ends, or null if there is none. */
export async function getKybApplicationForUpdate(tx: Database, vaultId: string, id: string) {
  // Reads the rest in a second statement, whose snapshot begins after the row is locked.
  await tx.orm
    .select({ id: kybApplications.id })
    .from(kybApplications)
    .where(isKybOfVault(vaultId, id))
    .for('update')
  return findKybApplication(tx, vaultId, id)
}

export const isKybOfVault = (vaultId: string, id: string) =>
  and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.id, id))

/** Returns the ID and status of the identification's application, or null if it has none. */
export async function findKybOfIdentification(db: Database, vaultId: string, identificationId: string) {
  const { id, status } = kybApplications
  const [row] = await db.orm
    .select({ id, status })
    .from(kybApplications)
    .where(and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.identificationId, identificationId)))
  return row ?? null
}

/**
 * Returns the identification of an application, or null if there is no such application. Both are retained and erased
 * together.
 */
export async function findIdentificationOfKyb(db: Database, kybId: string): Promise<string | null> {
  const { id, identificationId } = kybApplications
  const [row] = await db.orm.select({ id: identificationId }).from(kybApplications).where(eq(id, kybId))
  return row?.id ?? null
}

/**
 * Returns the review result of the identification's application, or null if there is none. Prevents changes to the row
 * until the transaction ends.
 */
export async function getReviewForUpdate(tx: Database, vaultId: string, identificationId: string) {
  const { id, status, reviewOutcome, reviewReasonCode, review } = kybApplications
  const [row] = await tx.orm
    .select({ id, status, outcome: reviewOutcome, reasonCode: reviewReasonCode, review })
    .from(kybApplications)
    .where(and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.identificationId, identificationId)))
    .for('share')
  if (!row) return null
  const { review: sealed, ...ended } = row
  // Returns the result even if the comment cannot be decrypted.
  const words = orNull(() => sealed && tx.encryption.unsealJson<SealedReview>(sealed, reviewContext(row.id)))
  return { ...ended, clientComment: words?.clientComment ?? null }
}

interface Person {
  readonly id: string
  /** The encrypted person, in hexadecimal. */
  readonly person: string
  readonly token: string
  /** When the link expires, in milliseconds since 1970. */
  readonly tokenExpiresAt: number
  readonly checkId: string
  /** The person's own check, or null until it begins. */
  readonly check:
    | (Pick<BeneficiaryCheck, 'verification' | 'waitingOn' | 'confirmedHits'> & { readonly profile: string })
    | null
}

const {
  decidedContent: _d,
  companyName: _n,
  countryHash: _c,
  riskHashes: _r,
  ...columns
} = getTableColumns(kybApplications)
/** All columns of an application. A person's own check begins when the person's link is first opened. */
const COLUMNS = {
  row: columns,
  policy: { fourEyes: vaults.fourEyes, highRiskCountries: vaults.highRiskCountries },
  people: sql<Person[]>`(
    SELECT coalesce(json_agg(json_build_object('id', b.id, 'person', encode(b.person, 'hex'),
      'token', encode(b.token, 'hex'), 'tokenExpiresAt', floor(extract(epoch FROM b.token_expires_at) * 1000),
      'checkId', coalesce(b.check_id, b.id), 'check', CASE WHEN i.id IS NOT NULL THEN json_build_object(
        'verification', i.verification, 'waitingOn', i.waiting_on, 'confirmedHits', i.confirmed_hits,
        'profile', encode(i.profile, 'hex')) END)
      ORDER BY b.position), '[]')
    FROM beneficiaries b LEFT JOIN identifications i ON i.id = coalesce(b.check_id, b.id) AND i.origin = 'beneficiary'
    WHERE b.kyb_application_id = ${kybApplications.id} AND b.removed_at IS NULL)`,
  uploaded: sql<UploadedRow[]>`(
    SELECT coalesce(json_agg(json_build_object('id', id, 'name', encode(name, 'hex'), 'side', side, 'sizeBytes', size_bytes,
      'contentType', content_type, 'sha256', encode(sha256, 'hex'), 'readable', readable,
      'warnings', warnings, 'isAttached', state = 'attached')), '[]')
    FROM files WHERE kyb_application_id = ${kybApplications.id} AND state IN ('uploading', 'attached'))`,
  later: laterVersions('kyb'),
}

const select = (orm: Database['orm']) =>
  orm.select(COLUMNS).from(kybApplications).innerJoin(vaults, eq(vaults.id, kybApplications.vaultId))

const IN_VAULT = eq(kybApplications.vaultId, sql.placeholder('vaultId'))

function findBy(column: 'id' | 'identificationId', statement: string) {
  const read = cacheStatement((orm) =>
    select(orm)
      .where(and(IN_VAULT, eq(kybApplications[column], sql.placeholder('value'))))
      .prepare(statement),
  )
  return async (db: Database, vaultId: string, value: string): Promise<KybApplication | null> => {
    const [row] = await read(db).execute({ vaultId, value })
    return row ? openKybRow(db, row) : null
  }
}

/** Returns the vault's application, or null if there is none. */
export const findKybApplication = findBy('id', 'find_kyb_application')

/** Returns the application of the vault's identification, or null if there is none. */
export const findKybApplicationOf = findBy('identificationId', 'find_kyb_application_of_identification')

/** Reads the rows of the vault's applications with these IDs, in any order. */
export const readKybRows = cacheStatement((orm) =>
  select(orm)
    .where(and(IN_VAULT, eqAny(kybApplications.id, sql.placeholder('ids'))))
    .prepare('list_kyb_applications'),
)

export async function openKybRow(
  db: Database,
  { row, policy, people, uploaded, later }: Awaited<ReturnType<typeof select>>[number],
  read: Read = strictly,
): Promise<KybApplication> {
  const formAt = (version: number) => readForm(db, row.vaultId, version, policy.highRiskCountries)
  const form = await formAt(row.profileVersion)
  const forms = await readLaterForms(later, formAt)
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  const persons = people.map(({ person, token, tokenExpiresAt, check, ...row }) => ({
    ...row,
    person: bytes(person),
    token: bytes(token),
    tokenExpiresAt: new Date(tokenExpiresAt),
    check: check && { ...check, profile: bytes(check.profile) },
  }))
  const files = uploaded.map((file) => ({
    ...file,
    name: bytes(file.name),
    sha256: file.sha256 === null ? null : bytes(file.sha256),
  }))
  const application = assemble(db, { row, form, people: persons, uploaded: files }, read)
  return { ...application, policy, ...(forms.length > 0 && { later: forms }) }
}

/** The columns of a beneficiary and of the person's own check, which is null until it begins. */
type PersonRow = Pick<typeof beneficiaries.$inferSelect, 'id' | 'person' | 'token' | 'tokenExpiresAt'> & {
  readonly checkId: string
  readonly check: (Omit<BeneficiaryCheck, 'id' | 'profile'> & { readonly profile: Buffer }) | null
}

type UploadedFile = FileRow & { readonly isAttached: boolean }

/** The columns of a file in JSON, with bytes in hexadecimal. */
type UploadedRow = Omit<UploadedFile, 'name' | 'sha256'> & {
  readonly name: string
  readonly sha256: string | null
}

const NO_WORDS: SealedReview = { clientComment: null, corrections: [], findings: [], replies: [] }

interface Parts {
  readonly row: Row
  readonly form: Form
  readonly people: readonly PersonRow[]
  readonly uploaded: readonly UploadedFile[]
}

/** Builds an application from its rows and decrypts it. */
export function assemble(
  { encryption }: Database,
  { row, form, people, uploaded }: Parts,
  read: Read = strictly,
): Omit<KybApplication, 'policy'> {
  const { summary: _, ...content } = read<SealedContent>(
    () => encryption.unsealJson(row.content, contentContext(row.id)),
    emptyContent(),
  )
  content.beneficiaries.beneficiaries_list = people.map(({ id, person }) =>
    read<Beneficiary>(() => encryption.unsealJson(person, personContext(id)), { external_id: id, email: '' }),
  )
  const attached = uploaded.filter(({ isAttached }) => isAttached)
  const { review, proposal } = row
  const sealed = review
    ? read<SealedReview>(() => encryption.unsealJson(review, reviewContext(row.id)), NO_WORDS)
    : NO_WORDS
  return {
    ...row,
    form,
    state: stateOf(row),
    content,
    review: row.reviewOutcome &&
      row.reviewReasonCode &&
      row.reviewedAt && {
        outcome: row.reviewOutcome,
        reasonCode: row.reviewReasonCode,
        clientComment: sealed.clientComment,
        findings: sealed.findings,
        places: sealed.places,
        decidedAt: row.reviewedAt,
      },
    corrections: sealed.corrections,
    replies: sealed.replies,
    proposal:
      proposal &&
      read<KybDecision | null>(() => encryption.unsealJson(proposal, proposalContext(row.id)), null),
    files: new Map(attached.map((file) => [file.id, fileDetails(encryption, file, read)])),
    sides: new Map(uploaded.flatMap(({ id, side }) => (side ? [[id, side]] : []))),
    unreadable: new Set(uploaded.filter(({ readable }) => !readable).map(({ id }) => id)),
    links: new Map(people.map((person) => [person.id, linkOf(encryption, person, read)])),
    checks: new Map(people.flatMap((person) => checkOf(encryption, person, read))),
  }
}

const linkOf = (
  encryption: Database['encryption'],
  { id, checkId, token, tokenExpiresAt, check }: PersonRow,
  read: Read,
): BeneficiaryLink => ({
  token: read(() => encryption.unseal(token, tokenContext(id)).toString(), ''),
  expiresAt: tokenExpiresAt,
  checkId,
  verification: check?.verification ?? 'initiated',
  isBegun: check !== null,
})

/** Returns the person's own check by the person's ID. The list is empty until the check begins. */
function checkOf(
  encryption: Database['encryption'],
  { id, checkId, check }: PersonRow,
  read: Read,
): [string, BeneficiaryCheck][] {
  if (!check) return []
  const context = sealedFor('identifications.profile', checkId)
  const profile = read<Profile>(() => encryption.unsealJson(check.profile, context), {})
  return [[id, { ...check, id: checkId, profile }]]
}

const stateOf = ({ status, completed, correcting, unsubmitted, version, pending }: Row): KybState => ({
  status,
  completed,
  correcting,
  unsubmitted,
  version,
  pending,
})
