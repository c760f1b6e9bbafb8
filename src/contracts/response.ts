/** Schemas that responses share, such as IDs, times, envelopes and errors. */
import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../domain/base/errors.ts'
import { described, LATEST } from './common.ts'

export const uuid = z.uuid()
export const unixTime = described(z.int().min(0).max(LATEST), 'Unix seconds.', 1_767_225_600)

/** Names a schema in the reference and in generated clients. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => schema.meta({ id: name })

export const inPascalCase = (name: string) =>
  name.replace(/(?:^|_)(.)/g, (_all, first: string) => first.toUpperCase())

export const dataOf = <S extends z.ZodType>(schema: S) =>
  z.strictObject({ data: schema.describe('The result.') })

type ChangedShape<Shape extends z.ZodRawShape, K> = {
  [Name in keyof Shape]: Name extends K ? Shape[Name] : z.ZodOptional<Shape[Name]>
}

/** The fields of a changed resource that callers without `api_read` receive. */
export const ENVELOPES = {
  kyb: ['id', 'external_id', 'identification_id', 'status', 'created_at'],
  identification: ['id', 'external_uuid', 'account_id', 'kyb_id', 'status', 'created_at'],
  webhookLog: ['id', 'status', 'created_at'],
  webhookUrl: ['id'],
} as const

/** Creates the schema of the response to a change. Callers without `api_read` receive only the fields in `envelope`. */
export function changedOf<Shape extends z.ZodRawShape, K extends keyof Shape & string>(
  name: string,
  { shape }: z.ZodObject<Shape>,
  envelope: readonly K[],
) {
  const fields = Object.entries(shape).map(([field, schema]) => [
    field,
    (envelope as readonly string[]).includes(field) ? schema : z.optional(schema),
  ])
  const names = envelope.map((each) => `\`${each}\``).join(', ')
  return z
    .strictObject(Object.fromEntries(fields) as ChangedShape<Shape, K>)
    .meta({ id: name, description: `Callers without \`api_read\` receive only ${names}.` })
}

const pagination = named(
  'Pagination',
  z.strictObject({
    current_page: z.int().min(1).describe('Number of this page.'),
    per_page: described(z.int().min(1), 'Maximum number of entries on a page.', 25),
    total_pages: described(
      z.int().min(1),
      'Number of pages. Request pages until `current_page` is at least `total_pages`.',
    ),
    total_count: described(z.int().min(0), 'Number of entries on all pages.', 1),
  }),
)

export const listOf = <S extends z.ZodType>(schema: S) =>
  z.strictObject({
    data: z.array(schema).describe('The entries of this page.'),
    pagination: pagination.describe('Position in the list.'),
  })

/** The bytes of a file, sent with the file's own content type. */
export const fileContent = z.file()

/** Creates the schema of a message for people. Programs should use the HTTP status. */
export const message = (example: string) =>
  z.strictObject({
    message: described(z.string(), 'Message for people. Programs should use the HTTP status.', example),
  })

export const unauthorized = named(
  'Unauthorized',
  z.strictObject({
    error: described(
      z.string(),
      'The problem with the credentials, and the next step.',
      'This API key has expired. Use another key.',
    ),
  }),
)

const refusalMessage = named(
  'RefusalMessage',
  described(
    z.string(),
    'The problem and the next step, for people. Programs should use the `code`.',
    ERRORS.required.message,
  ),
)
const refusalField = named(
  'RefusalField',
  described(
    z.string(),
    'Path of the field that has the problem. Omitted if the problem is not about a field.',
    'external_id',
  ),
)

const errorCode = named(
  'ErrorCode',
  described(
    z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    'The error code, for programs.',
    'required',
  ),
)

/** The body of every error except a 401 without credentials. */
export const refusal = named(
  'Errors',
  z.strictObject({
    errors: z
      .array(
        named(
          'Problem',
          z.strictObject({
            code: errorCode,
            message: refusalMessage,
            field: refusalField.optional(),
          }),
        ),
      )
      .min(1)
      .describe('One entry for each problem.'),
    request_id: uuid
      .optional()
      .describe(
        'The `X-Request-Id` of the response, only with status 500. Include it if you report the problem.',
      ),
  }),
)
