/** What answers have in common: ids, moments, envelopes, refusals. */
import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'

export const uuid = z.uuid()
export const unixTime = z
  .int()
  .min(0)
  .meta({ description: 'Unix seconds.', examples: [1_767_225_600] })

/** Names a schema that several routes share. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => schema.meta({ id: name })

/** Names of schemas are written so. */
export const inPascalCase = (name: string) =>
  name.replace(/(?:^|_)(.)/g, (_all, first: string) => first.toUpperCase())

export const dataOf = <S extends z.ZodType>(schema: S) =>
  z.strictObject({ data: schema.describe('What was read or brought about.') })

type ChangedShape<Shape extends z.ZodRawShape, K> = {
  [Name in keyof Shape]: Name extends K ? Shape[Name] : z.ZodOptional<Shape[Name]>
}

/** The fields of a changed resource that callers without `api_read` get. */
export const ENVELOPES = {
  kyb: ['id', 'external_id', 'identification_id', 'status', 'created_at'],
  identification: ['id', 'external_uuid', 'account_id', 'kyb_id', 'status', 'created_at'],
  webhookLog: ['id', 'status', 'created_at'],
} as const

/** Schema of the response to a change. Callers without `api_read` get only the fields in `envelope`. */
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
    .meta({ id: name, description: `Callers without \`api_read\` get only ${names}.` })
}

const pagination = named(
  'Pagination',
  z.strictObject({
    current_page: z.int().min(1).describe('The page that this is.'),
    per_page: z
      .int()
      .min(1)
      .meta({ description: 'How many entries a page has.', examples: [25] }),
    total_pages: z.int().min(1).describe('Read on until `current_page` is this.'),
    total_count: z
      .int()
      .min(0)
      .meta({ description: 'How many entries there are on all pages.', examples: [1] }),
  }),
)

export const listOf = <S extends z.ZodType>(schema: S) =>
  z.strictObject({
    data: z.array(schema).describe('The entries of this page.'),
    pagination: pagination.describe('Which page it is, and of how many.'),
  })

/** The bytes of a file, with its own content type. */
export const fileContent = z.file()

/** A sentence for people; programs go by the status. */
export const message = (example: string) =>
  z.strictObject({
    message: z.string().meta({ description: 'For people; programs go by the status.', examples: [example] }),
  })

export const unauthorized = named(
  'Unauthorized',
  z.strictObject({
    error: z.string().meta({
      description: 'What is wrong with the credentials.',
      examples: ['This API key has expired: use another one.'],
    }),
  }),
)

const refusalMessage = named(
  'RefusalMessage',
  z.string().meta({
    description: 'What to do next, for people.',
    examples: [ERRORS.required.message],
  }),
)
const refusalField = named(
  'RefusalField',
  z
    .string()
    .meta({ description: 'The path of what is meant, where there is one.', examples: ['external_id'] }),
)

const errorCode = named(
  'ErrorCode',
  z
    .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
    .meta({ description: 'The code to branch on.', examples: ['required'] }),
)

/** The body of every refusal except a 401 without credentials. */
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
      .describe('In a 500: the `X-Request-Id` of the response. Quote it in reports.'),
  }),
)
