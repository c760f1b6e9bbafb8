/** Reads settings forms with a file. */
import multer, { MulterError } from 'multer'
import { hasPermission } from '../../../domain/access/grant.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { findConsoleVisit } from '../base/visit.ts'
import type { Ask } from './ask.ts'

/**
 * Returns a function that reads a form into `req.body`. The function returns the file in this field, or null if no file
 * was chosen. It throws `too_long` or `malformed_request`, and `not_found` if the user may no longer administer the
 * vault.
 */
export function readUpload(field: string, maxBytes: number) {
  const upload = multer({
    storage: multer.memoryStorage(),
    limits: {
      fileSize: maxBytes,
      files: 1,
      fields: 20,
      fieldSize: 3_000,
      fieldNameSize: 100,
      // Without it, `name[x]` becomes an object.
      fieldNestingDepth: 0,
      parts: 21,
    },
  }).single(field)
  return async ({ deps, req, res, id }: Ask): Promise<Buffer | null> => {
    const file = await new Promise<Buffer | null>((resolve, reject) =>
      upload(req, res, (error: unknown) => {
        const isTooLarge = error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE'
        if (isTooLarge) reject(new RequestRefused({ code: 'too_long', field }))
        else if (error) reject(new RequestRefused({ code: 'malformed_request' }))
        else resolve(req.file && req.file.size > 0 ? req.file.buffer : null)
      }),
    )
    // The form can take a minute to arrive.
    const visit = await findConsoleVisit(deps, req)
    if (!visit || !hasPermission(visit, 'administer', id)) throw new RequestRefused({ code: 'not_found' })
    return file
  }
}
