/** Schemas for the files of an application (specification, "KYB applications"). */
import { z } from 'zod'
import type { ErrorCode } from '../domain/base/errors.ts'
import { ADDED, DEFAULT_FORM, type Form, fileLists, personFileLists } from '../domain/kyb/form.ts'
import { described, id, idParam } from './common.ts'
import { VALUES } from './field.ts'
import { AN_ID } from './kyb-sections.ts'
import { message, named, uuid } from './response.ts'

export const storedFile = named(
  'File',
  z.strictObject({
    name: described(z.string(), 'File name. Its ending is that of the detected type.', 'register.pdf'),
    id: uuid.describe('ID of the file. Use it to read or delete the file.'),
  }),
)

const listsOf = (form: Form): [string, ...string[]] =>
  [...fileLists(form).keys(), ...personFileLists(form)] as [string, ...string[]]

const RECEIVING_LIST = 'The file list that receives the file.'

const uploadFields = (form: Form) =>
  z.strictObject({
    attribute: z.enum(listsOf(form)).describe(RECEIVING_LIST),
    email: VALUES.email
      .optional()
      .describe('The beneficiary’s email, instead of `external_id`. Only for a beneficiary’s file list.'),
    external_id: described(
      id.optional(),
      'The beneficiary’s `external_id`. Only for a beneficiary’s file list.',
      AN_ID,
    ),
  })

/**
 * Returns the schema of the form fields that accompany the file. If the file belongs to a beneficiary, `email` or
 * `external_id` must identify the person.
 */
export const uploadFieldsOf = (form: Form) =>
  uploadFields(form).superRefine((fields, context) => {
    const refuse = (field: string, code: ErrorCode, message: string) =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    const names = (['email', 'external_id'] as const).filter((name) => fields[name] !== undefined)
    if (!personFileLists(form).includes(fields.attribute))
      for (const name of names)
        refuse(name, 'unknown_field', 'This file list does not belong to a beneficiary. Remove this field.')
    else if (names.length === 0)
      refuse(
        'email',
        'required',
        'This attribute belongs to a beneficiary. Send the person’s external_id or email.',
      )
    else if (names.length > 1)
      refuse(
        'email',
        'invalid',
        'The request identifies the beneficiary twice. Send either the external_id or the email.',
      )
  })

const LISTS = listsOf(DEFAULT_FORM)

/** Combines the fields with the file. Only the reference uses this schema, because the form is parsed part by part. */
export const uploadFormBody = z.strictObject({
  file: z.file().describe('The file: PDF, JPEG or PNG, at most 10 MB.'),
  ...uploadFields(DEFAULT_FORM).shape,
  attribute: described(named('UploadKybFileRequestAttribute', z.enum(LISTS)), RECEIVING_LIST, 'aml_policies'),
})

export const deleteFileBody = z.strictObject({
  blob_key: id.describe('The `id` from the response to the upload.'),
  attribute_key: z
    .string()
    .refine((name) => LISTS.includes(name) || name.startsWith(ADDED), {
      error: `Send one of: ${LISTS.join(', ')}.`,
    })
    .meta({ enum: LISTS, description: 'The file list that contains the file.' }),
})

export const kybFileParams = z.object({
  id: idParam.describe('ID of the application.'),
  file_id: idParam.describe('ID of the file, as shown in file lists.'),
})
export const fileResponse = storedFile
export const fileDeletedResponse = message('File deleted')
