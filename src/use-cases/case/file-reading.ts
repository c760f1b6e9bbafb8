/** Use cases for reading stored files. The timeline records each access before the first byte is sent. */

import { findIdentification } from '../../db/cases/identification.ts'
import { appendTimeline, fileReadCauseId } from '../../db/commands/timeline.ts'
import { isDatabaseUnavailable } from '../../db/connection/failure.ts'
import { FOR_OPERATORS, findAttachedFile } from '../../db/files/file.ts'
import { isApiKeyActor } from '../../domain/access/access.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { FileContent } from '../../domain/base/file.ts'
import { nameFile } from '../../domain/base/file-name.ts'
import type { AttachedFile } from '../../domain/entity/attached-file.ts'
import { verifiedOf } from '../../domain/identification/verified.ts'
import type { Share } from '../../process/fair-slots.ts'
import { BlobMissing } from '../../storage/blob-store.ts'
import { StorageUnavailable } from '../../storage/byte-store.ts'
import { contentTypeOf } from '../../storage/content-type.ts'
import { ImageRefused } from '../../storage/refusal.ts'
import { type Caller, type Reader, requirePermission } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import { createSharedLimit } from '../limits/concurrency-limit.ts'
import { decodeFairly } from '../limits/decoding.ts'
import { SLOTS } from '../limits/table.ts'
import { findTargetForClient } from './entity-ref.ts'
import { recordCaseRead } from './reading-record.ts'

type FileDeps = Pick<Deps, 'db' | 'blobs' | 'log'>

/** The connection over which a file is sent, such as the response object of Node.js. */
export interface FileReceiver {
  readonly destroyed: boolean
  readonly headersSent: boolean
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

const sending = createSharedLimit(SLOTS.sending)
const opening = createSharedLimit(SLOTS.opening)
/** The maximum per key or user, including waiting requests, because each of them occupies a slot for reads. */
const MAX_PER_CALLER = 8
/** The time limit for sending a file, which is enough for the largest one. */
const SLOWEST_MS = 60_000

const ofCaller = new Map<string, number>()

/**
 * Takes a slot, which is freed when the connection closes. Closes connections that are too slow, and those of the
 * caller with the most slots if others wait. Throws `service_unavailable` if no slot becomes free.
 */
async function takePlace(share: Share, receiver: FileReceiver): Promise<void> {
  const { caller } = share
  // A closed connection emits no further `close` event, so its slot would never be freed. No client receives this
  // refusal.
  if (receiver.destroyed) throw new RequestRefused({ code: 'malformed_request' })
  const own = ofCaller.get(caller) ?? 0
  // The provider reads files of all vaults, so this limit does not apply to it.
  if (own >= MAX_PER_CALLER && caller !== 'provider')
    throw new RequestRefused({ code: 'service_unavailable' })
  ofCaller.set(caller, own + 1)
  const closed = new Promise<void>((resolve) => receiver.once('close', () => resolve()))
  const late = setTimeout(() => receiver.destroy(), SLOWEST_MS)
  void closed.then(() => {
    clearTimeout(late)
    const left = (ofCaller.get(caller) ?? 0) - 1
    if (left > 0) ofCaller.set(caller, left)
    else ofCaller.delete(caller)
  })
  await new Promise<void>((begin, refuse) => {
    const send = () => {
      begin()
      return closed
    }
    // Stops only clients that read slowly, not the preparation of a file. The links of the provider work only a few times.
    const stop = () => receiver.headersSent && caller !== 'provider' && Boolean(receiver.destroy())
    const isGone = () => receiver.destroyed
    sending.run(share, send, { stop, isGone }).catch(refuse)
  })
}

/** Reads a file for an operator. `asView` returns an image without its metadata. Throws `not_found`. */
export async function readFile(
  deps: FileDeps & Pick<Deps, 'spend'>,
  reader: Reader & Granted,
  by: By,
  receiver: FileReceiver,
  fileId: string,
  { asView }: { readonly asView: boolean },
): Promise<FileContent> {
  const file = requireFound(await findAttachedFile(deps.db, fileId, FOR_OPERATORS))
  requirePermission(reader, 'read_cases', file.vaultId)
  await recordCaseRead(deps, by, { entity: file.entity, id: file.entityId, vaultId: file.vaultId })
  return readChecked(deps, reader, receiver, file, asView)
}

/** Reads a file for the client of an application. Throws `not_found` if the file does not belong to the application. */
export async function readKybFile(
  deps: FileDeps,
  caller: Caller,
  receiver: FileReceiver,
  kybId: string,
  fileId: string,
): Promise<FileContent> {
  const { vaultId } = await findTargetForClient(deps.db, caller, 'api_read', 'kyb', kybId)
  const file = await findAttachedFile(deps.db, fileId)
  const isFound = file?.entity === 'kyb' && file.entityId === kybId && file.vaultId === vaultId
  if (!isFound) throw new RequestRefused({ code: 'not_found' })
  return readChecked(deps, caller, receiver, file)
}

/**
 * Reads a photo for a client once the person is verified. Throws `not_found` if the photo is not part of the verified
 * data.
 */
export async function readVerifiedPhoto(
  deps: FileDeps,
  caller: Caller,
  receiver: FileReceiver,
  id: string,
  fileId: string,
): Promise<FileContent> {
  const { vaultId } = await findTargetForClient(deps.db, caller, 'api_read', 'identification', id)
  const identification = await findIdentification(deps.db, vaultId, id)
  const verified = identification && verifiedOf(identification, [])
  const isFound = verified?.photos.some((photo) => photo.id === fileId)
  const file = requireFound(isFound ? await findAttachedFile(deps.db, fileId) : null)
  return readChecked(deps, caller, receiver, file)
}

/** Reads the file, or with `asView` an image without its metadata. The caller must have checked access. */
export async function readChecked(
  deps: FileDeps,
  reader: Reader,
  receiver: FileReceiver,
  file: AttachedFile,
  asView = false,
): Promise<FileContent> {
  const { id, entity, entityId, vaultId } = file
  const share = { vaultId, caller: reader.actor, isProgram: isApiKeyActor(reader.actor) }
  await takePlace(share, receiver)
  const original = await opening.run(share, () => open(deps, file))
  const content = asView ? await view(share, original) : original
  const entry = { action: 'file_read', actor: reader.actor, causeId: fileReadCauseId(id) }
  await appendTimeline(deps.db, { entity, id: entityId, vaultId }, entry)
  return content
}

/** Reads the bytes of an attached file. If they are missing or cannot be decrypted, logs a warning and throws. */
export const readBytes = ({ blobs, log }: Pick<Deps, 'blobs' | 'log'>, fileId: string): Promise<Buffer> =>
  blobs.read(fileId).catch((error: unknown) => {
    if (error instanceof StorageUnavailable || isDatabaseUnavailable(error)) throw error
    const isGone = error instanceof BlobMissing
    log.warn(
      { err: error, fileId },
      `attached file ${isGone ? 'is missing from the blob store' : 'cannot be decrypted'}`,
    )
    throw isGone ? new RequestRefused({ code: 'not_found' }) : error
  })

async function open(deps: FileDeps, { id, name }: AttachedFile): Promise<FileContent> {
  const bytes = await readBytes(deps, id)
  const contentType = contentTypeOf(bytes)
  if (!contentType) return { name, contentType: 'application/octet-stream', bytes }
  // Earlier versions stored names with other endings.
  return { name: nameFile(name, contentType), contentType, bytes }
}

async function view(share: Share, { name, contentType, bytes }: FileContent): Promise<FileContent> {
  if (!contentType.startsWith('image/')) return { name, contentType, bytes }
  const seen = await decodeFairly(share, (decode) => decode('renderPhotoView', bytes)).catch(
    (error: unknown) => {
      if (!(error instanceof ImageRefused)) throw error
      const message = 'The image cannot be decoded. Request the original with original=true.'
      throw new RequestRefused({ code: 'invalid', field: 'original', message })
    },
  )
  return { name: nameFile(name, 'image/jpeg'), contentType: 'image/jpeg', bytes: seen }
}
