/** Use cases for the company form, which applicants read and fill in with data and documents. */

import { findIdentification } from '../../db/cases/identification.ts'
import { findKybApplication, findKybApplicationOf } from '../../db/cases/kyb-application.ts'
import { recordSide } from '../../db/files/file.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { type Side, type UploadedFile, unusableWarning } from '../../domain/base/file.ts'
import type { Replying } from '../../domain/decision/decision.ts'
import type { EntityRef, Ref } from '../../domain/entity/entity.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { decideKyb, isKybEnded } from '../../domain/kyb/application.ts'
import type { KybPatch } from '../../domain/kyb/edit.ts'
import { type Beneficiary, personIn } from '../../domain/kyb/fields.ts'
import { fileLists, personValue, valueIn } from '../../domain/kyb/form.ts'
import { circumstancesOf, type KybApplication } from '../../domain/kyb/record.ts'
import { beneficiaryPath, type Due, reasonsFor } from '../../domain/kyb/requirements.ts'
import { trySendFacts } from '../../temporal/facts.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { discardUpload } from '../case/upload.ts'
import { renewalRefusal, renewBeneficiaryLink } from '../kyb/beneficiary-verification.ts'
import {
  type Applicant,
  type ApplicantDeps,
  type ApplicantRefusals,
  countApplicantRequest,
  runAsApplicant,
} from './command.ts'
import { getRedirectUrl } from './redirect.ts'

export interface CompanyForm {
  readonly target: EntityRef<'kyb'>
  readonly application: KybApplication
  /** The missing fields, each with the reason why it is required. */
  readonly due: readonly Due[]
}

/** Returns the company form, or null if the identification has no application. */
export async function getCompanyForm({ db }: WithDb, { id: identificationId, vaultId }: Ref) {
  const application = await findKybApplicationOf(db, vaultId, identificationId)
  return application && companyFormOf(application)
}

export const companyFormOf = (application: KybApplication): CompanyForm => ({
  target: { entity: 'kyb', id: application.id, vaultId: application.vaultId },
  application,
  due: reasonsFor(application.currentlyDue, application.content, circumstancesOf(application, new Date())),
})

/** The company's identification, which an appeal can reopen after the application is rejected. */
export interface CompanyResult {
  readonly identification: Identification | null
  /** The client's URL for the applicant's return, or null. */
  readonly redirectUrl: string | null
}

export async function getCompanyResult(
  deps: WithDb,
  { vaultId, identificationId }: KybApplication,
): Promise<CompanyResult> {
  const identification = await findIdentification(deps.db, vaultId, identificationId)
  return { identification, redirectUrl: identification && (await getRedirectUrl(deps, identification)) }
}

const ENDED = ['kyb_processed', 'kyb_abandoned'] as const

/** Saves fields. Throws RequestRefused with all problems. */
export async function patchCompany(
  deps: ApplicantDeps,
  { target, application }: CompanyForm,
  applicant: Applicant,
  patch: KybPatch,
): Promise<void> {
  const command = { kind: 'patch', patch } as const
  await runAsApplicant(deps, applicant, target, command, application)
}

patchCompany.refuses = [...ENDED, 'duplicate_beneficiary', 'too_many'] as const satisfies ApplicantRefusals

/** Disputes a correction. Throws RequestRefused if the correction is not open. */
export async function replyAsCompany(
  deps: ApplicantDeps,
  { target, application }: CompanyForm,
  applicant: Applicant,
  reply: Omit<Replying, 'kind'>,
): Promise<void> {
  await runAsApplicant(deps, applicant, target, { kind: 'reply', ...reply }, application)
}

replyAsCompany.refuses = ENDED satisfies ApplicantRefusals

/**
 * Submits the form. `reply` responds to a comment on the whole application. Does nothing if the form is already
 * submitted or closed. Throws RequestRefused if findings on fields are open.
 */
export async function submitCompany(
  deps: ApplicantDeps,
  { target, application }: CompanyForm,
  applicant: Applicant,
  reply?: string,
): Promise<void> {
  if (application.submittedAt !== null || isKybEnded(application.state)) return
  await runAsApplicant(deps, applicant, target, { kind: 'submit', reply }, application)
}

submitCompany.refuses = [...ENDED, 'requirements_due'] as const satisfies ApplicantRefusals

/** A file list of the company or of one of its beneficiaries. */
export interface FileListPlace {
  readonly attribute: string
  readonly person: Beneficiary | null
  /** The side of an identity card that the next file shows, if it shows only one. */
  readonly side?: Side | null
}

/**
 * Attaches an uploaded document. Keeps only one copy of a document in a list, because applicants repeat uploads that
 * seem to have been interrupted. Replaces the documents that cannot be used or that a reviewer wants to be replaced.
 */
export async function attachDocument(
  deps: ApplicantDeps & Pick<Deps, 'blobs' | 'log'>,
  { target, application }: CompanyForm,
  applicant: Applicant,
  place: FileListPlace,
  { id: fileId, sha256, contentType }: UploadedFile,
  unusable: readonly string[],
): Promise<void> {
  if (copiesIn(application, place, sha256).length > 0) return discardUpload(deps, fileId)
  const { attribute, person } = place
  const command = {
    kind: 'attach',
    fileId,
    attribute,
    ...(person && { externalId: person.external_id }),
  } as const
  // A PDF can contain both sides.
  if (place.side && contentType !== 'application/pdf')
    await recordSide(deps.db, { kybApplicationId: target.id }, fileId, place.side)
  // The command reads the application again, because an upload can take a minute.
  await runAsApplicant(deps, applicant, target, command)
  const now = await findKybApplication(deps.db, target.vaultId, target.id)
  // Keeps the oldest copy, so that two simultaneous uploads remove the same one.
  const [, ...copies] = now ? copiesIn(now, place, sha256) : []
  for (const replaced of [...copies, ...replacedBy(application, place, unusable)])
    await detachDocument(deps, target, applicant, attribute, replaced).catch((error: unknown) => {
      // The other upload has already removed the document.
      if (!(error instanceof RequestRefused)) throw error
    })
}

attachDocument.refuses = [...ENDED, 'too_many'] as const satisfies ApplicantRefusals

/** Detaches a document. Throws RequestRefused, with `not_found` if the document is already removed. */
export async function detachDocument(
  deps: ApplicantDeps,
  target: EntityRef<'kyb'>,
  applicant: Applicant,
  attribute: string,
  fileId: string,
): Promise<void> {
  await runAsApplicant(deps, applicant, target, { kind: 'detach', fileId, attribute })
}

detachDocument.refuses = ENDED satisfies ApplicantRefusals

/** Makes a photo of one side count as a complete document, because a passport has no back. */
export async function markAsPassport(
  deps: ApplicantDeps,
  { target, application }: CompanyForm,
  applicant: Applicant,
  place: FileListPlace,
  fileId: string,
): Promise<void> {
  const refusal = decideKyb(application.state, 'patch')
  if (refusal) throw new RequestRefused(refusal)
  if (!filesAt(application, place).includes(fileId)) return
  await recordSide(deps.db, { kybApplicationId: target.id }, fileId, null)
  // The command computes the requirements again.
  await runAsApplicant(deps, applicant, target, { kind: 'patch', patch: {} })
}

markAsPassport.refuses = ENDED satisfies ApplicantRefusals

/** Returns the IDs of the list's files with this content, oldest first. */
const copiesIn = (application: KybApplication, place: FileListPlace, sha256: string): string[] =>
  filesAt(application, place)
    .filter((id) => application.files.get(id)?.sha256 === sha256)
    .sort()

/**
 * Returns the IDs of the documents that the next one replaces: those of the `unusable` ones that are lost or cannot be
 * opened, the same side of an identity card, and those that a reviewer has refused. A comment on a list with several
 * documents refuses none of them.
 */
function replacedBy(application: KybApplication, place: FileListPlace, unusable: readonly string[]) {
  const { form, files, corrections } = application
  const { attribute, person } = place
  const path = person
    ? beneficiaryPath(person.external_id, attribute)
    : (fileLists(form).get(attribute) ?? '')
  const comments = corrections.filter((each) => each.path === path)
  const ids = filesAt(application, place)
  return ids.filter((id) => {
    const { warnings = [], side } = files.get(id) ?? {}
    const isUnusable = unusable.includes(id) && unusableWarning(warnings) !== undefined
    if (place.side && side === place.side) return true
    return isUnusable || comments.some(({ fileId }) => fileId === id || (!fileId && ids.length === 1))
  })
}

function filesAt(application: KybApplication, { attribute, person }: FileListPlace): readonly string[] {
  const { form, content } = application
  const known = personIn(content, person?.external_id)
  const value = person
    ? known && personValue(known, attribute)
    : valueIn(content, fileLists(form).get(attribute) ?? '')
  return (value ?? []) as readonly string[]
}

/** Replaces a beneficiary's link. Does nothing if the person does not need a link now. */
export async function renewOwnerLink(
  deps: Pick<Deps, 'config' | 'db' | 'notifier' | 'spend' | 'temporal' | 'log'>,
  { target, application }: CompanyForm,
  applicant: Applicant,
  personId: string,
): Promise<void> {
  const link = application.links.get(personId)
  if (!link || renewalRefusal(application, link) !== null) return
  await countApplicantRequest(deps, applicant, 'saves')
  await renewBeneficiaryLink(deps, target, personId, applicant.actor)
  deps.notifier.notify([target.id])
  void trySendFacts(deps, target.id)
}
