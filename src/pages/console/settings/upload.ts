/** Reads settings forms with a file. */
import type { Request, Response } from 'express'
import multer, { MulterError } from 'multer'
import { RequestRefused } from '../../../domain/base/errors.ts'

/**
 * Returns a function that reads a form into `req.body`. The function returns the file in this field, or null if no file
 * was chosen. It throws `too_long` or `malformed_request`.
 */
export function readUpload(field: string, maxBytes: number) {
  const upload = multer({
    storage: multer.memoryStorage(),
    limits: { fileSize: maxBytes, files: 1, fields: 20, fieldSize: 3_000, fieldNameSize: 100, parts: 21 },
  }).single(field)
  return (req: Request, res: Response): Promise<Buffer | null> =>
    new Promise((resolve, reject) =>
      upload(req, res, (error: unknown) => {
        const isTooLarge = error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE'
        if (isTooLarge) reject(new RequestRefused({ code: 'too_long', field }))
        else if (error) reject(new RequestRefused({ code: 'malformed_request' }))
        else resolve(req.file && req.file.size > 0 ? req.file.buffer : null)
      }),
    )
}
