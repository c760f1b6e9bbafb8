/** Use cases for the person form, which applicants read and fill in with data and photos. */
import { findKybOfCheck } from '../../db/cases/beneficiary.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import type { Database } from '../../db/connection/database.ts'
import { findAttachedFiles } from '../../db/files/file.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { StoredFile, UploadedFile } from '../../domain/base/file.ts'
import type { Replying } from '../../domain/decision/decision.ts'
import type { Commands, EntityRef, Ref } from '../../domain/entity/entity.ts'
import { decideIdentification, isFilledIn } from '../../domain/identification/identification.ts'
import {
  consentDeclined,
  consentGiven,
  hasConsented,
  type PersonFile,
} from '../../domain/identification/person-form.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { isKybEnded } from '../../domain/kyb/application.ts'
import type { KybPatch } from '../../domain/kyb/edit.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import { fieldsAtLink } from '../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../domain/kyb/requirements.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { readBytes } from '../case/file-reading.ts'
import { inspectUploadedPhoto } from '../case/photo.ts'
import { decodeFairly } from '../limits/decoding.ts'
import { type Applicant, type ApplicantDeps, type ApplicantRefusals, runAsApplicant } from './command.ts'
import { type CompanyForm, companyFormOf, patchCompany } from './company-form.ts'

/** A beneficiary whom the company's application asks questions at the link. */
export interface AskedAtLink extends CompanyForm {
  readonly person: Beneficiary
}

export interface PersonForm {
  /** The questions of the company's application, or null if it asks none at the link. */
  readonly atLink: AskedAtLink | null
  readonly target: EntityRef<'identification'>
  readonly identification: Identification
  readonly files: ReadonlyMap<string, StoredFile>
}

/** Returns the person form, or null if no applicant fills in this identification. */
export async function getPersonForm({ db }: WithDb, { id, vaultId }: Ref): Promise<PersonForm | null> {
  const [identification, files] = await Promise.all([
    findIdentification(db, vaultId, id),
    findAttachedFiles(db, { identificationId: id }),
  ])
  if (!identification || !isFilledIn(identification)) return null
  const atLink = identification.origin === 'beneficiary' ? await findAskedAtLink(db, { id, vaultId }) : null
  return { target: { entity: 'identification', id, vaultId }, identification, files, atLink }
}

async function findAskedAtLink(db: Database, { id, vaultId }: Ref): Promise<AskedAtLink | null> {
  const kyb = await findKybOfCheck(db, id)
  // Under the default profile, there are no such questions.
  if (!kyb?.isCurrent || kyb.removedAt || kyb.profileVersion === 0) return null
  const application = await findKybApplication(db, vaultId, kyb.id)
  if (!application || isKybEnded(application.state)) return null
  const person = application.content.beneficiaries.beneficiaries_list.find(
    ({ external_id: personId }) => application.links.get(personId)?.checkId === id,
  )
  const isAsked = Object.keys(fieldsAtLink(application.form)).length > 0
  return person && isAsked ? { ...companyFormOf(application), person } : null
}

/** Returns the paths in the application of the questions that the beneficiary must answer. */
export function dueAtLink({ atLink }: Pick<PersonForm, 'atLink'>): string[] {
  if (!atLink) return []
  const { application, person } = atLink
  return Object.keys(fieldsAtLink(application.form))
    .map((name) => beneficiaryPath(person.external_id, name))
    .filter((path) => application.currentlyDue.includes(path))
}

/** Saves answers of a beneficiary in the application. Throws RequestRefused with all problems. */
export async function fillInAtLink(
  deps: ApplicantDeps,
  { identification, atLink }: PersonForm,
  applicant: Applicant,
  patch: KybPatch,
): Promise<void> {
  const isOpen = decideIdentification(identification.state, 'fill_in') === null
  if (!atLink || !isOpen || !hasConsented(identification.profile))
    throw new RequestRefused({ code: 'invalid_transition' })
  await patchCompany(deps, atLink, applicant, patch)
}

fillInAtLink.refuses = ['invalid_transition', ...patchCompany.refuses] as const satisfies ApplicantRefusals

/** Runs a command. Omits company risks, because a person has no application. */
const run = (
  deps: ApplicantDeps,
  { target, identification }: PersonForm,
  applicant: Applicant,
  command: Commands['identification'],
) => runAsApplicant(deps, applicant, target, command, { ...identification, companyRisks: [] })

/** Saves fields. Null clears a field. Throws RequestRefused with all problems. */
export async function fillIn(
  deps: ApplicantDeps,
  form: PersonForm,
  applicant: Applicant,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'fill_in', changes })
}

fillIn.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/**
 * Records that the applicant consents to the text in this language, or refuses consent if it is null. Throws
 * RequestRefused if the form is closed.
 */
export function answerConsent(
  deps: ApplicantDeps,
  form: PersonForm,
  applicant: Applicant,
  language: string | null,
): Promise<void> {
  const { profile } = form.identification
  const now = new Date()
  const changes = language === null ? consentDeclined(profile, now) : consentGiven(profile, language, now)
  return fillIn(deps, form, applicant, changes)
}

/** Disputes a correction. Throws RequestRefused if the correction is not open. */
export async function replyAsPerson(
  deps: ApplicantDeps,
  form: PersonForm,
  applicant: Applicant,
  reply: Omit<Replying, 'kind'>,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'reply', ...reply })
}

replyAsPerson.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/** Submits the form. Does nothing if it is already submitted. Throws RequestRefused if the form is incomplete. */
export async function submitPerson(deps: ApplicantDeps, form: PersonForm, applicant: Applicant) {
  const due = dueAtLink(form)
  if (due.length > 0)
    throw new RequestRefused(...due.map((field) => ({ code: 'requirements_due' as const, field })))
  try {
    await run(deps, form, applicant, { kind: 'submit' })
  } catch (error) {
    const isSubmitted =
      error instanceof RequestRefused && error.problems.every(({ code }) => code === 'invalid_transition')
    if (!isSubmitted) throw error
  }
}

submitPerson.refuses = ['requirements_due'] as const satisfies ApplicantRefusals

/**
 * Attaches a photo. Returns true if the inspection found no problems with it. Throws PhotoRefused if the photo is
 * unusable, and RequestRefused if it cannot be attached.
 */
export async function attachPhoto(
  deps: ApplicantDeps & Pick<Deps, 'blobs'>,
  form: PersonForm,
  applicant: Applicant,
  attribute: PersonFile,
  file: UploadedFile,
): Promise<boolean> {
  const isGood = await inspectUploadedPhoto(deps, form.target, attribute, file, applicant.sessionHash)
  const command = { kind: 'attach', attribute, fileId: file.id } as const
  // The command reads the identification again, because an upload can take a minute.
  await runAsApplicant(deps, applicant, form.target, command)
  return isGood
}

attachPhoto.refuses = ['invalid_transition', 'requirements_due'] as const satisfies ApplicantRefusals

/** Detaches a photo. Throws RequestRefused if the form is closed. */
export async function detachPhoto(
  deps: ApplicantDeps,
  form: PersonForm,
  applicant: Applicant,
  attribute: PersonFile,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'detach', attribute })
}

detachPhoto.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/**
 * Returns the photo as a new JPEG, or null if the client has disconnected in the meantime. Throws `service_unavailable`
 * if the wait is too long, and `not_found` if the photo is lost.
 */
export async function viewPhoto(
  deps: Pick<Deps, 'blobs' | 'log'>,
  { vaultId, actor }: Pick<Applicant, 'actor'> & Pick<Ref, 'vaultId'>,
  fileId: string,
  hasDisconnected: () => boolean,
): Promise<Buffer | null> {
  return decodeFairly({ vaultId, caller: actor }, async (decode) =>
    hasDisconnected() ? null : decode('renderPhotoView', await readBytes(deps, fileId)),
  )
}
