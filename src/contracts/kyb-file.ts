/** Schemas for the files of an application (specification, "KYB applications"). */
import { z } from 'zod'
import type { ErrorCode } from '../domain/errors.ts'
import { BENEFICIARY_FILE_LISTS, FILE_LISTS } from '../domain/kyb/fields.ts'
import { id, idParam } from './common.ts'
import { VALUES } from './field.ts'
import { AN_ID } from './kyb-sections.ts'
import { message, named, uuid } from './response.ts'

export const storedFile = named(
  'File',
  z.strictObject({
    name: z.string().meta({ description: 'As it was uploaded.', examples: ['register.pdf'] }),
    id: uuid.describe('Names the file in lists of files, and where it is read or deleted.'),
  }),
)

const attribute = z.enum([...FILE_LISTS.keys(), ...BENEFICIARY_FILE_LISTS] as [string, ...string[]])

/** The fields beside the file; a beneficiary's file lists need the beneficiary, by one of two names. */
export const uploadFieldsBody = z
  .strictObject({
    attribute: attribute.describe('The list of files that the file is added to.'),
    email: VALUES.email.optional().describe('Of the beneficiary, in place of `external_id`.'),
    external_id: id.optional().meta({
      description:
        'Of the beneficiary, as in `requirements`, where the list is one of a beneficiary; otherwise left out.',
      examples: [AN_ID],
    }),
  })
  .superRefine((fields, context) => {
    const refuse = (field: string, code: ErrorCode, message: string) =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    const names = (['email', 'external_id'] as const).filter((name) => fields[name] !== undefined)
    if (!BENEFICIARY_FILE_LISTS.has(fields.attribute))
      for (const name of names)
        refuse(name, 'unknown_field', 'Only the file lists of a beneficiary take a beneficiary.')
    else if (names.length === 0)
      refuse(
        'email',
        'required',
        'This attribute belongs to a beneficiary: send the external_id or the e-mail of the person.',
      )
    else if (names.length > 1)
      refuse('email', 'invalid', 'Name the beneficiary once: by external_id or by e-mail.')
  })

/** The same with the file, as the reference shows it: the form is read part by part. */
export const uploadFormBody = z.strictObject({
  file: z.file().describe('PDF, JPEG or PNG, at most 10 MB.'),
  ...uploadFieldsBody.shape,
})

export const deleteFileBody = z.strictObject({
  blob_key: id.describe('The `id` that the upload answered.'),
  attribute_key: attribute.describe('The list that the file is in.'),
})

export const kybFileParams = z.object({
  id: idParam.describe('Of the application.'),
  file_id: idParam.describe('Of the file, as lists of files have it.'),
})
export const fileResponse = storedFile
export const fileDeletedResponse = message('File deleted')
