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

export const dataOf = <S extends z.ZodType>(schema: S) => z.strictObject({ data: schema })

const pagination = named(
  'Pagination',
  z.strictObject({
    current_page: z.int().min(1),
    per_page: z
      .int()
      .min(1)
      .meta({ examples: [25] }),
    total_pages: z.int().min(1),
    total_count: z
      .int()
      .min(0)
      .meta({ examples: [1] }),
  }),
)

export const listOf = <S extends z.ZodType>(schema: S) =>
  z.strictObject({ data: z.array(schema), pagination })

/** The bytes of a file, with its own content type. */
export const fileContent = z.file()

/** A sentence for people; programs go by the status. */
export const message = (example: string) =>
  z.strictObject({ message: z.string().meta({ examples: [example] }) })

export const unauthorized = named(
  'Unauthorized',
  z.strictObject({ error: z.string().meta({ examples: ['The token is missing, invalid or expired.'] }) }),
)

/** A refusal by one or several of these codes. */
export const refusal = (codes: readonly ErrorCode[]) =>
  z.strictObject({
    errors: z
      .array(
        z.strictObject({
          code: z.enum(codes as [ErrorCode, ...ErrorCode[]]),
          message: z.string().meta({ examples: codes.slice(0, 1).map((code) => ERRORS[code].message) }),
          field: z
            .string()
            .meta({ examples: ['external_id'] })
            .optional(),
        }),
      )
      .min(1),
    ...(codes.includes('internal_error') && { request_id: uuid.optional() }),
  })
