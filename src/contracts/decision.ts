/** Schemas that decisions on applications and on verifications share. */
import { z } from 'zod'
import { type Decision, FINDING_CODES, REASON_CODES, type ReasonCode } from '../domain/decision/decision.ts'
import { described, id, text } from './common.ts'
import { recordOf } from './record.ts'
import { named, uuid } from './response.ts'

export const reasonCode = z.enum(REASON_CODES).describe('Reason for the decision.')

export const clientComment = described(
  text(2_000),
  'Comment for the client, in addition to the reason.',
  'The extract of the register is older than three months.',
)
export const internalNote = described(
  text(5_000),
  'Note for operators. Clients never see it.',
  'Spoke with the register on the phone.',
)

/** Describes the ID of a document, which is needed if a field has several documents. */
const fileId = { description: 'ID of the document, if the field has more than one.' }

export const correction = z.strictObject({
  path: described(z.string(), 'Path of the field.', 'business_files.incorporation_certificates'),
  file_id: uuid.optional().meta(fileId),
  code: described(
    z.string(),
    `The problem (${FINDING_CODES.join(', ')}), or the reason code of the decision.`,
    'unreadable',
  ),
  message: described(
    z.string().nullable(),
    'The operator’s comment. Null if there is none.',
    'The second page is missing.',
  ),
})

/** A correction that the applicant disputes. */
export const reply = named(
  'Reply',
  correction.extend({
    reply: described(
      z.string(),
      'Why the value is correct, in the applicant’s or the client’s words.',
      'The register was updated in May.',
    ),
  }),
)

/** A problem with one field or document. */
export const finding = named(
  'Finding',
  z.strictObject({
    path: described(text(300), 'Path of the field.', 'nature_of_business.vat_number'),
    file_id: id.optional().meta(fileId),
    code: z.enum(FINDING_CODES).describe('The problem.'),
    comment: described(
      text(2_000).optional(),
      'Comment. The client sees it if the decision requests changes.',
      'The number lacks its last digit.',
    ),
  }),
)

/** The version that the operator read. The decision applies only to this version. */
export const version = described(
  z.int().min(1).optional(),
  'The `version` that you read. If it is not the newest one, the response is 409 `stale_version`. If omitted, the version is not checked.',
)

/** Returns the schema of the paths that an operator asks the applicant to correct. */
export const pathsToCorrect = (length: number, count: number, example: string) =>
  described(
    z.array(text(length)).max(count).optional(),
    'Paths of the fields and files to correct, if the decision requests changes.',
    [example],
  )

export const comments = {
  client_comment: clientComment.optional(),
  internal_note: internalNote.optional(),
  findings: described(
    z.array(finding).max(200).optional(),
    'Problems that the operator found. The client sees them if the decision requests changes.',
  ),
}

/** The fields of every decision except its outcome. */
export interface DecisionBody {
  readonly version?: number | undefined
  readonly reason_code: ReasonCode
  readonly client_comment?: string | undefined
  readonly internal_note?: string | undefined
  readonly fields?: readonly string[] | undefined
  readonly findings?: readonly z.output<typeof finding>[] | undefined
}

/** Returns the command for a decision, without its kind. */
export const decisionOf = (body: DecisionBody): Decision & Pick<DecisionBody, 'fields'> => ({
  ...recordOf(body),
  findings: body.findings?.map(readFinding),
})

/** Converts the API names of a finding or a correction to the names of the domain. */
export const readFinding = <F extends { readonly file_id?: string | undefined }>({
  file_id,
  ...rest
}: F) => ({
  ...rest,
  ...(file_id && { fileId: file_id }),
})

/** Converts the names of a finding or a correction to the API names. */
export const presentFinding = <F extends { readonly fileId?: string | undefined }>({
  fileId,
  ...rest
}: F) => ({
  ...rest,
  ...(fileId && { file_id: fileId }),
})
