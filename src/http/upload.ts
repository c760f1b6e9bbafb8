/** Receives one uploaded file: streamed to the blob store as it arrives, nothing left when refused. */

import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import multer, { MulterError, type StorageEngine } from 'multer'
import { v7 as newId } from 'uuid'
import {
  abandonFile,
  countFiles,
  deleteUnattachedFiles,
  insertUploadingFile,
  recordStoredFile,
} from '../db/cases/file.ts'
import { type ErrorCode, RequestRefused } from '../domain/errors.ts'
import type { FileOwner } from '../domain/file.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import { type ContentType, contentTypeOf, LONGEST_SIGNATURE } from '../storage/content-type.ts'
import { canBeOpened } from '../storage/document.ts'
import { giveBack } from '../storage/memory.ts'
import type { RouteDeps } from './deps.ts'

export const MAX_FILE_BYTES = 10 * 1024 * 1024
const MAX_NAME = 200
/** A form with the largest file, whatever is around it. */
const MAX_FORM_BYTES = MAX_FILE_BYTES + 100_000

type UploadDeps = Pick<RouteDeps, 'db' | 'blobs'>

export interface UploadedFile {
  readonly name: string
  readonly id: string
  readonly contentType: ContentType
  readonly sha256: string
}

/** Of an application or a person, with those that were taken away within a day: whoever adds and removes fills no disk. */
const MAX_KEPT = 1_000

const [ofOwner, ofVault] = [createKeyedLimit(1), createKeyedLimit(1)]

/** Of each application or person one picture waits to be looked at, and of each vault one: many hold up no others'. */
export const inTurn = <T>(owner: FileOwner, vaultId: string, look: () => Promise<T>): Promise<T> =>
  ofOwner(Object.values(owner).join(), () => ofVault(vaultId, look))

/** Null when there is no file. The fields beside it are in `req.body` afterwards, whatever order they came in. */
export async function receiveUpload(
  deps: UploadDeps,
  owner: FileOwner,
  vaultId: string,
  req: Request,
  res: Response,
): Promise<UploadedFile | null> {
  if (!req.is('multipart/form-data')) {
    throw new RequestRefused({
      code: 'unsupported_media_type',
      message: 'Send multipart/form-data with the fields `file` and `attribute`.',
    })
  }
  const tooLarge = new RequestRefused({ code: 'file_too_large', field: 'file' })
  if (Number(req.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge
  if ((await countFiles(deps.db, owner)) >= MAX_KEPT) {
    const message = `These are ${MAX_KEPT} files with those that were removed within a day: wait until their day is over.`
    throw new RequestRefused({ code: 'too_many', field: 'file', message })
  }
  let storing: Promise<unknown> = Promise.resolve()
  // The parser of the form would read on to its end before it tells.
  let refuse: (error: unknown) => void = () => undefined
  const storage: StorageEngine = {
    _handleFile(_req, file, done) {
      file.stream.once('limit', () => {
        file.stream.destroy(tooLarge)
        refuse(tooLarge)
      })
      storing = storeFile(deps, owner, vaultId, file.originalname, file.stream).then(
        (stored) => done(null, stored as object),
        (error) => {
          refuse(error)
          done(error)
        },
      )
    },
    _removeFile(_req, file, done) {
      discardUpload(deps, (file as unknown as UploadedFile).id).then(() => done(null), done)
    },
  }
  const receive = multer({
    storage,
    defParamCharset: 'utf8',
    limits: {
      fileSize: MAX_FILE_BYTES,
      files: 1,
      fields: 10,
      fieldSize: 1_000,
      fieldNameSize: 100,
      parts: 11,
    },
  }).single('file')
  await new Promise<void>((resolve, reject) => {
    refuse = reject
    receive(req, res, (error: unknown) => (error ? reject(refusalOf(error)) : resolve()))
  }).finally(() => storing) // The parser gives up on a broken form before what it began is discarded.
  const file = req.file as unknown as UploadedFile | undefined
  if (!file) return null
  const { name, id, contentType, sha256 } = file
  return { name, id, contentType, sha256 }
}

/** Removes what was stored of a file that is not attached. */
async function discardUpload({ db, blobs }: UploadDeps, id: string): Promise<void> {
  if (!(await abandonFile(db, id))) return
  await blobs.remove(id)
  await deleteUnattachedFiles(db, [id])
}

/** What cannot be discarded now, housekeeping sweeps. */
export async function discardOrLeave(deps: UploadDeps & Pick<RouteDeps, 'log'>, id: string): Promise<void> {
  await discardUpload(deps, id).catch((err) => deps.log.warn({ err }, 'an upload was left to housekeeping'))
}

async function storeFile(
  deps: UploadDeps,
  owner: FileOwner,
  vaultId: string,
  givenName: string,
  stream: Readable,
) {
  const file = { id: newId(), name: cleanName(givenName) }
  await insertUploadingFile(deps.db, { ...owner, ...file })
  try {
    const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const start = await readStart(source)
    const contentType = contentTypeOf(start)
    if (!contentType) throw new RequestRefused({ code: 'unsupported_file_type', field: 'file' })
    const { size, sha256, end } = await deps.blobs.write(file.id, continued(start, source))
    // Pictures of persons are looked at more closely.
    const opens =
      'identificationId' in owner ||
      (await canBeOpened(deps.blobs, file.id, { contentType, end }, (look) => inTurn(owner, vaultId, look)))
    await recordStoredFile(deps.db, file.id, { contentType, size, sha256, opens })
    return { ...file, contentType, sha256: sha256.toString('hex') }
  } catch (error) {
    stream.resume()
    await discardUpload(deps, file.id)
    throw error
  }
}

async function readStart(source: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < LONGEST_SIGNATURE) {
    const { value, done } = await source.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  return start
}

async function* continued(start: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start
  for (let next = await source.next(); !next.done; next = await source.next()) {
    yield next.value
    giveBack(next.value)
  }
}

/** A name to show, without characters that control or reorder text; it is never used as a path. Its ending stays. */
function cleanName(given: string): string {
  const name = basename(given.replaceAll('\\', '/')).replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
  const [, stem = '', ending = ''] = /^(.*?)(\.\w{1,8})?$/s.exec(name.trim()) ?? []
  return [...stem].slice(0, MAX_NAME - ending.length).join('') + ending || 'file'
}

const MULTER_CODES: Partial<Record<string, ErrorCode>> = {
  LIMIT_FILE_SIZE: 'file_too_large',
  LIMIT_UNEXPECTED_FILE: 'unknown_field',
  LIMIT_FILE_COUNT: 'too_many',
  LIMIT_FIELD_COUNT: 'too_many',
  LIMIT_PART_COUNT: 'too_many',
  LIMIT_FIELD_VALUE: 'too_long',
  LIMIT_FIELD_KEY: 'too_long',
}

const MULTER_MESSAGES: Partial<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE: 'Send the file as the field `file`, and one file at a time.',
  LIMIT_FILE_COUNT: 'Send one file at a time.',
  LIMIT_FIELD_COUNT: 'A form has at most 10 fields beside the file.',
  LIMIT_PART_COUNT: 'A form has at most 11 parts.',
  LIMIT_FIELD_VALUE: 'At most 1,000 characters are allowed.',
  LIMIT_FIELD_KEY: 'The name of a field has at most 100 characters.',
}

/** Errors that name no code come from the parser: the form itself is broken. */
function refusalOf(error: unknown): unknown {
  if (error instanceof MulterError) {
    const code = MULTER_CODES[error.code] ?? 'malformed_request'
    const message = MULTER_MESSAGES[error.code]
    return new RequestRefused({
      code,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(message && { message }),
    })
  }
  const parserFailed =
    error instanceof Error &&
    /^(Unexpected end of form|Multipart: |Malformed |Request aborted)/.test(error.message)
  return parserFailed
    ? new RequestRefused({ code: 'malformed_request', message: 'The form is malformed.' })
    : error
}
