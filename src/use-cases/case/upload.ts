/** Use cases for uploads. A file is stored as it arrives, and removed if it is refused. */
import type { Readable } from 'node:stream'
import { v7 as newId } from 'uuid'
import {
  abandonFile,
  countFiles,
  deleteDetachedFiles,
  insertUploadingFile,
  recordStoredFile,
} from '../../db/files/file.ts'
import { type Problem, RequestRefused } from '../../domain/base/errors.ts'
import type { CameraFormat, FileOwner, UploadedFile } from '../../domain/base/file.ts'
import { nameFile } from '../../domain/base/file-name.ts'
import type { Share } from '../../process/fair-slots.ts'
import { StorageUnavailable } from '../../storage/byte-store.ts'
import {
  cameraFormatOf,
  contentTypeOf,
  MAX_SIGNATURE_BYTES,
  startsWithHeader,
} from '../../storage/content-type.ts'
import { releaseMemory } from '../../storage/memory.ts'
import { AnimationRefused, isUnreadable } from '../../storage/refusal.ts'
import type { Deps } from '../base/deps.ts'
import { createSharedLimit } from '../limits/concurrency-limit.ts'
import { decodeFairly } from '../limits/decoding.ts'
import { SLOTS } from '../limits/table.ts'

/**
 * The maximum number of files per application or person, including those removed in the last 24 hours. It protects the
 * disk.
 */
const MAX_KEPT = 1_000

type UploadDeps = Pick<Deps, 'db' | 'blobs' | 'log'>

const receiving = createSharedLimit(SLOTS.receiving)

/** Divides the slots among applications and persons. A client's programs and the applicants have separate shares. */
export const shareOfUpload = (owner: FileOwner, vaultId: string, isProgram: boolean): Share => ({
  vaultId,
  caller: `${isProgram ? 'program' : 'applicant'} ${Object.values(owner)}`,
  isProgram,
})

/**
 * Checks the limits on files. Throws `quota_exceeded` if the vault is full, and `too_many` if the owner has too many
 * files.
 */
export async function checkFileCount(
  { db, quota }: Pick<Deps, 'db' | 'quota'>,
  owner: FileOwner,
  vaultId: string,
): Promise<void> {
  await quota.check(vaultId)
  if ((await countFiles(db, owner)) < MAX_KEPT) return
  const message = `There are already ${MAX_KEPT} files, including files deleted in the last 24 hours. Delete files that you do not need, and retry after 24 hours.`
  throw new RequestRefused({ code: 'too_many', field: 'file', message })
}

/**
 * Stores an upload. Throws `unsupported_file_type`, and `service_unavailable` if too many uploads are in progress.
 * Removes the file if the upload is refused or interrupted. An upload is also refused while it arrives, if other
 * callers wait and its caller has more uploads in progress than theirs.
 */
export async function storeUpload(
  deps: UploadDeps,
  owner: FileOwner,
  share: Share,
  givenName: string,
  stream: Readable,
): Promise<UploadedFile> {
  const id = newId()
  // Inserts the row before the first byte is stored, so that every stored blob has a row.
  await insertUploadingFile(deps.db, { ...owner, id, vaultId: share.vaultId })
  try {
    const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const start = await readStart(source)
    const contentType = contentTypeOf(start)
    if (!contentType) throw new RequestRefused(unsupported(start))
    const store = () => deps.blobs.write(id, continued(start, source))
    const received = await receiving.run(share, store, {
      // An upload that has arrived completely is only being stored.
      stop: (refusal) => !stream.destroyed && Boolean(stream.destroy(refusal)),
      isGone: () => stream.readableAborted,
    })
    const isPhoto = 'identificationId' in owner
    const { picture, readable, warnings } = await decodeFairly(share, async (decode) => {
      const bytes = await deps.blobs.read(id)
      return decode('inspectUpload', bytes, contentType, isPhoto).finally(() => releaseMemory(bytes))
    }).catch((error) => {
      if (isUnreadable(error)) return UNREADABLE
      throw error
    })
    if (!readable && !startsWithHeader(start)) throw new RequestRefused(unsupported(start))
    // Stores only the picture that viewers show, so that no one receives another one.
    const { size, sha256 } = picture
      ? await deps.blobs.write(id, [picture], { isReplacement: true })
      : received
    const name = nameFile(givenName, contentType)
    await recordStoredFile(deps.db, id, { name, contentType, sizeBytes: size, sha256, readable, warnings })
    return { id, name, contentType, sha256: sha256.toString('hex'), readable }
  } catch (caught) {
    const error = caught instanceof AnimationRefused ? new RequestRefused(ANIMATED) : caught
    stream.resume()
    // Leaves the bytes to housekeeping, because the caller should not wait for a second timeout.
    await (error instanceof StorageUnavailable ? abandonFile(deps.db, id) : discard(deps, id))
    throw error
  }
}

/** The inspection of a file whose decoder was stopped. */
const UNREADABLE = { picture: null, readable: false, warnings: [] }

function unsupported(start: Buffer): Problem {
  const problem = { code: 'unsupported_file_type', field: 'file' } as const
  if (start.length === 0)
    return { ...problem, format: 'empty', message: 'The file is empty. Upload a file with content.' }
  const format = cameraFormatOf(start)
  return format ? { ...problem, format, message: CAMERA_FORMATS[format] } : problem
}

const CAMERA_FORMATS: Readonly<Record<CameraFormat, string>> = {
  heic: 'The file is a HEIC photo. Send a JPEG. On an iPhone, choose Settings > Camera > Formats > Most Compatible.',
  tiff: 'The file is a TIFF image or a raw photo. Set the scanner or camera to PDF or JPEG, or convert the file.',
}

const ANIMATED: Problem = {
  code: 'unsupported_file_type',
  field: 'file',
  message: 'The image is animated. Upload an image with one frame.',
}

/** Removes an upload that was not attached. If the removal fails, housekeeping removes the upload later. */
export const discardUpload = (deps: UploadDeps, id: string): Promise<void> =>
  discard(deps, id).catch((err) =>
    deps.log.warn({ err }, 'upload could not be deleted; housekeeping will delete it'),
  )

async function discard({ db, blobs }: UploadDeps, id: string): Promise<void> {
  if (!(await abandonFile(db, id))) return
  await blobs.remove(id)
  await deleteDetachedFiles(db, [id])
}

async function readStart(source: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < MAX_SIGNATURE_BYTES) {
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
    releaseMemory(next.value)
  }
}
