/** Schemas for the marks with which an operator accepts or flags fields and documents before deciding. */
import { z } from 'zod'
import { FINDING_CODES } from '../domain/decision/decision.ts'
import type { NewMark } from '../domain/review/review-mark.ts'
import { described, id, text } from './common.ts'
import { presenterOf } from './record.ts'
import { named, unixTime, uuid } from './response.ts'

const path = described(text(300), 'Path of the field.', 'nature_of_business.vat_number')
const fileId = { description: 'ID of the document. Null if the mark is about the whole field.' }
const code = z.enum(FINDING_CODES).nullable().describe('The problem. Null if you accept the value.')
export const markComment = described(
  text(2_000),
  'Comment for the client, which the decision can send.',
  'The number lacks its last digit.',
)

const mark = named(
  'ReviewMark',
  z.strictObject({
    path,
    file_id: uuid.nullable().meta(fileId),
    code,
    comment: markComment.nullable(),
    created_at: unixTime.describe('Time of the mark, in Unix seconds.'),
  }),
)
export const reviewMarksResponse = z.strictObject({
  data: z.array(mark).describe('Your marks that still apply. A decision settles flags.'),
})

const place = { path, file_id: id.nullish().meta(fileId) }
export const changeMarksBody = z.strictObject({
  marks: z
    .array(
      z
        .strictObject({ ...place, code, comment: markComment.nullish() })
        .refine((mark) => mark.code !== null || (mark.comment ?? null) === null, {
          path: ['comment'],
          message: 'Send a comment only with a code.',
        }),
    )
    .max(200)
    .default([])
    .describe('Marks to set. They replace your earlier marks at the same places.'),
  cleared: z.array(z.strictObject(place)).max(200).default([]).describe('Places whose marks to remove.'),
})

type Asked = z.output<typeof changeMarksBody>

export const marksOf = ({ marks }: Asked): NewMark[] =>
  marks.map(({ path, file_id = null, code, comment = null }) => ({ path, fileId: file_id, code, comment }))
export const clearedOf = ({ cleared }: Asked) =>
  cleared.map(({ path, file_id = null }) => ({ path, fileId: file_id }))

export const presentMark = presenterOf(mark)
