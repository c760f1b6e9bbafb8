/** Requests about identifications (specification, "Identifications"). */
import { z } from 'zod'
import { pageQuery, text } from './common.ts'

export const listIdentifications = z.strictObject({
  'filter[external_uuid]': text(255).optional(),
  ...pageQuery(25),
})
