/** Use cases for the person form, which applicants read and fill in with data and photos. */
import { findAttachedFiles, recordPhotoInspection } from '../../db/cases/file.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import { type Problem, RequestRefused } from '../../domain/base/errors.ts'
import type { StoredFile, UploadedFile } from '../../domain/base/file.ts'
import type { Replying } from '../../domain/decision/decision.ts'
import type { Commands, EntityRef, Ref } from '../../domain/entity/entity.ts'
import { isFilledIn } from '../../domain/identification/identification.ts'
import {
  acceptsPdf,
  consentDeclined,
  consentGiven,
  type PersonFile,
} from '../../domain/identification/person-form.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { PhotoInspection, PhotoRefusal } from '../../storage/photo.ts'
import type { Deps } from '../base/deps.ts'
import { decodeFairly } from '../limits/decoding.ts'
import { type Applicant, type ApplicantRefusals, runAsApplicant } from './command.ts'

export interface PersonForm {
  readonly target: EntityRef<'identification'>
  readonly identification: Identification
  readonly files: ReadonlyMap<string, StoredFile>
}

type CommandDeps = Pick<Deps, 'db' | 'gateway' | 'screening' | 'spend'>

/** Returns the person form, or null if no applicant fills in this identification. */
export async function getPersonForm(
  { db }: Pick<Deps, 'db'>,
  { id, vaultId }: Ref,
): Promise<PersonForm | null> {
  const [identification, files] = await Promise.all([
    findIdentification(db, vaultId, id),
    findAttachedFiles(db, { identificationId: id }),
  ])
  if (!identification || !isFilledIn(identification)) return null
  return { target: { entity: 'identification', id, vaultId }, identification, files }
}

/** Runs a command. Omits company risks, because a person has no application. */
const run = (
  deps: CommandDeps,
  { target, identification }: PersonForm,
  applicant: Applicant,
  command: Commands['identification'],
) => runAsApplicant(deps, applicant, target, command, { ...identification, companyRisks: [] })

/** Saves fields. Null clears a field. Throws RequestRefused with all problems. */
export async function fillIn(
  deps: CommandDeps,
  form: PersonForm,
  applicant: Applicant,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'fill_in', changes })
}

fillIn.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/** Records that the applicant gives or refuses consent. Throws RequestRefused if the form is closed. */
export const answerConsent = (
  deps: CommandDeps,
  form: PersonForm,
  applicant: Applicant,
  isGiven: boolean,
): Promise<void> =>
  fillIn(
    deps,
    form,
    applicant,
    (isGiven ? consentGiven : consentDeclined)(form.identification.profile, new Date()),
  )

/** Disputes a correction. Throws RequestRefused if the correction is not open. */
export async function replyAsPerson(
  deps: CommandDeps,
  form: PersonForm,
  applicant: Applicant,
  reply: Omit<Replying, 'kind'>,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'reply', ...reply })
}

replyAsPerson.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/** Submits the form. Does nothing if it is already submitted. Throws RequestRefused if the form is incomplete. */
export async function submitPerson(deps: CommandDeps, form: PersonForm, applicant: Applicant): Promise<void> {
  try {
    await run(deps, form, applicant, { kind: 'submit' })
  } catch (error) {
    const isSubmitted =
      error instanceof RequestRefused && error.problems.every(({ code }) => code === 'invalid_transition')
    if (!isSubmitted) throw error
  }
}

submitPerson.refuses = ['requirements_due'] as const satisfies ApplicantRefusals

/** Thrown if a photo is unreadable, animated, too small or too large. */
export class PhotoRefused extends RequestRefused {
  readonly reason: PhotoRefusal
  constructor(reason: PhotoRefusal) {
    super({ code: 'invalid', field: 'file' } satisfies Problem)
    this.reason = reason
  }
}

/**
 * Attaches a photo. Returns true if the inspection found no problems with it. Throws PhotoRefused if the photo is
 * unusable, and RequestRefused if it cannot be attached.
 */
export async function attachPhoto(
  deps: CommandDeps & Pick<Deps, 'blobs'>,
  form: PersonForm,
  applicant: Applicant,
  attribute: PersonFile,
  file: UploadedFile,
): Promise<boolean> {
  const look = await inspect(deps, form.target, attribute, file)
  if ('refused' in look) throw new PhotoRefused(look.refused)
  await recordPhotoInspection(deps.db, file.id, { ...look, sessionHash: applicant.sessionHash })
  const command = { kind: 'attach', attribute, fileId: file.id } as const
  // The command reads the identification again, because an upload can take a minute.
  await runAsApplicant(deps, applicant, form.target, command)
  return look.warnings === undefined || look.warnings.length === 0
}

attachPhoto.refuses = ['invalid_transition', 'requirements_due'] as const satisfies ApplicantRefusals

/** Inspects a photo. Leaves a PDF that can be opened to the reviewer, unless it replaces a selfie. */
function inspect(
  { blobs }: Pick<Deps, 'blobs'>,
  { id, vaultId }: Ref,
  attribute: PersonFile,
  { id: fileId, contentType, readable }: UploadedFile,
): PhotoInspection | { readonly warnings?: undefined } | Promise<PhotoInspection> {
  if (contentType === 'application/pdf')
    return acceptsPdf(attribute) && readable ? {} : { refused: 'unreadable' }
  return decodeFairly({ vaultId, caller: id }, async (decode) =>
    decode('inspectPhoto', await blobs.read(fileId)),
  )
}

/** Detaches a photo. Throws RequestRefused if the form is closed. */
export async function detachPhoto(
  deps: CommandDeps,
  form: PersonForm,
  applicant: Applicant,
  attribute: PersonFile,
): Promise<void> {
  await run(deps, form, applicant, { kind: 'detach', attribute })
}

detachPhoto.refuses = ['invalid_transition'] as const satisfies ApplicantRefusals

/**
 * Returns the photo as a new JPEG, or null if the client has disconnected in the meantime. Throws `service_unavailable`
 * if the wait is too long.
 */
export async function viewPhoto(
  { blobs }: Pick<Deps, 'blobs'>,
  { vaultId, actor }: Pick<Applicant, 'actor'> & Pick<Ref, 'vaultId'>,
  fileId: string,
  hasDisconnected: () => boolean,
): Promise<Buffer | null> {
  return decodeFairly({ vaultId, caller: actor }, async (decode) =>
    hasDisconnected() ? null : decode('renderPhotoView', await blobs.read(fileId)),
  )
}
