/** Receives one file of a multipart form, and stores it while it arrives. */
import type { Readable, Writable } from 'node:stream'
import type { Request, Response } from 'express'
import multer, { MulterError, type StorageEngine } from 'multer'
import { type ErrorCode, type Problem, RequestRefused } from '../domain/base/errors.ts'
import { type FileOwner, MAX_FILE_BYTES, type UploadedFile } from '../domain/base/file.ts'
import { decodeFileName, decodeFormName, isFolder } from '../domain/base/file-name.ts'
import type { Share } from '../process/fair-slots.ts'
import { checkFileCount, discardUpload, storeUpload } from '../use-cases/case/upload.ts'
import type { RouteDeps } from './deps.ts'

/** The maximum size of a form with the largest file and all other fields. */
const MAX_FORM_BYTES = MAX_FILE_BYTES + 100_000

/** Stores the file of a form, or returns null if there is none. Sets `req.body` to the other fields of the form. */
export async function receiveUpload(
  deps: RouteDeps,
  owner: FileOwner,
  share: Share,
  req: Request,
  res: Response,
): Promise<UploadedFile | null> {
  if (!req.is('multipart/form-data')) {
    throw new RequestRefused({
      code: 'unsupported_media_type',
      message: 'Send multipart/form-data with the `file` and `attribute` fields.',
    })
  }
  if (!/^(identity)?$/i.test(req.headers['content-encoding'] ?? '')) {
    const message = 'A form cannot be compressed. Omit the Content-Encoding header.'
    throw new RequestRefused({ code: 'unsupported_media_type', message })
  }
  const tooLarge = new RequestRefused({ code: 'file_too_large', field: 'file' })
  if (Number(req.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge
  await checkFileCount(deps, owner, share.vaultId)
  let storing: Promise<unknown> = Promise.resolve()
  // Rejects immediately, because the parser would read the rest of the form before reporting an error.
  let refuse: (error: unknown) => void = () => undefined
  const storage: StorageEngine = {
    _handleFile(_req, file, done) {
      file.stream.once('limit', () => {
        file.stream.destroy(tooLarge)
        refuse(tooLarge)
      })
      const givenName = decodeFileName(file.originalname)
      if (isFolder(givenName)) return refuse(new RequestRefused({ code: 'required', field: 'file' }))
      storing = storeUpload(deps, owner, share, givenName, file.stream).then(
        (stored) => done(null, stored as object),
        (error) => {
          refuse(error)
          done(error)
        },
      )
    },
    _removeFile(_req, file, done) {
      void discardUpload(deps, (file as unknown as UploadedFile).id).then(() => done(null))
    },
  }
  const options = {
    storage,
    streamHandler: feedParser,
    // Keeps the bytes of names, which `decodeFileName` decodes before it removes folders.
    defParamCharset: 'latin1',
    preservePath: true,
    limits: {
      fileSize: MAX_FILE_BYTES,
      fields: 10,
      fieldSize: 1_000,
      fieldNameSize: 100,
      parts: 11,
    },
  }
  const receive = multer(options).single('file')
  await new Promise<void>((resolve, reject) => {
    refuse = reject
    receive(req, res, (error: unknown) => (error ? reject(refusalOf(error)) : resolve()))
  }).finally(() => storing) // The parser reports a broken form before the storage has discarded the file.
  req.body = Object.fromEntries(
    Object.entries(req.body ?? {}).map(([name, value]) => [decodeFormName(name), value]),
  )
  const file = req.file as unknown as UploadedFile | undefined
  if (!file) return null
  const { name, id, contentType, sha256, readable } = file
  return { name, id, contentType, sha256, readable }
}

/** Feeds the parser, and reports parts that Multer would ignore or refuse with a less specific problem. */
function feedParser(form: Readable, parser: Writable): void {
  const refuse = (problem: Problem) => parser.emit('error', new RequestRefused(problem))
  let files = 0
  parser.prependListener('file', (field: string, _content: unknown, { filename }: { filename?: string }) => {
    if (!filename) refuse(problemOfUnnamed(field))
    else if (++files > 1) refuse({ code: 'too_many', message: ONE_FILE })
  })
  parser.prependListener('field', (field: string, value: string, { mimeType }: { mimeType: string }) => {
    if (field === 'file') refuse(mimeType === 'text/plain' ? NO_FILE : problemOfUnnamed(field))
    else if (/^"[^"]*"$/.test(value)) refuse({ code: 'invalid', field, message: NOT_QUOTED })
  })
  form.pipe(parser)
}

/** Returns the problem of a part that has no file name, although its content type or its field is that of a file. */
const problemOfUnnamed = (field: string): Problem =>
  field === 'file'
    ? { code: 'required', field, message: NO_FILE_NAME }
    : { code: 'invalid', field, message: NOT_A_FILE }

export const NO_FILE: Problem = {
  code: 'required',
  field: 'file',
  message: 'Send the file itself in the `file` field. With curl, use -F file=@name.pdf.',
}
const ONE_FILE = 'The form has more than one file. Send one file per request.'
const NO_FILE_NAME =
  'The part has no file name. Add filename="…" to its Content-Disposition. With curl, use -F file=@name.pdf.'
const NOT_A_FILE = 'This field is text. Send it as text/plain, or without a Content-Type.'
const NOT_QUOTED = 'This field is text, not JSON. Send it without quotation marks.'

const MULTER_CODES: Partial<Record<string, ErrorCode>> = {
  LIMIT_FILE_SIZE: 'file_too_large',
  LIMIT_UNEXPECTED_FILE: 'unknown_field',
  LIMIT_FIELD_COUNT: 'too_many',
  LIMIT_PART_COUNT: 'too_many',
  LIMIT_FIELD_VALUE: 'too_long',
  LIMIT_FIELD_KEY: 'too_long',
}

const MULTER_MESSAGES: Partial<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE:
    'The form has a file outside the `file` field, or more than one file. Send one file in `file`.',
  LIMIT_FIELD_COUNT: 'The form has too many fields. Send at most 10 fields in addition to the file.',
  LIMIT_PART_COUNT: 'The form has too many parts. Send at most 11 parts.',
  LIMIT_FIELD_VALUE: 'The value is too long. Send at most 1,000 characters.',
  LIMIT_FIELD_KEY: 'The field name is too long. Send at most 100 characters.',
}

const BROKEN_FORM =
  'The form cannot be parsed. Let your HTTP client set the Content-Type header, which must name the boundary.'

/** Converts errors of Multer and its parser to refusals. Returns all other errors unchanged. */
function refusalOf(error: unknown): unknown {
  if (error instanceof MulterError) {
    const code = MULTER_CODES[error.code] ?? 'malformed_request'
    const message = MULTER_MESSAGES[error.code]
    return new RequestRefused({
      code,
      ...(error.field === undefined ? {} : { field: decodeFormName(error.field) }),
      ...(message && { message }),
    })
  }
  const parserFailed =
    error instanceof Error &&
    /^(Unexpected end of form|Multipart: |Malformed |Request aborted)/.test(error.message)
  return parserFailed ? new RequestRefused({ code: 'malformed_request', message: BROKEN_FORM }) : error
}
