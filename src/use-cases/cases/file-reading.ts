/** Stored files, given out: who read which is written down before the first byte goes. */

import type { Response } from 'express'
import { appendTimeline, readingOf } from '../../db/cases/timeline.ts'
import { databaseAway } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { AttachedFile } from '../../domain/file.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { FileBody, type FileContent } from '../../http/file-answer.ts'
import { StorageAway } from '../../storage/blob-store.ts'
import { contentTypeOf } from '../../storage/content-type.ts'
import { ImageRefused } from '../../storage/image.ts'
import { LANES, viewOf } from '../../storage/photo.ts'
import { type Reader, readerOf } from '../concurrency-limit.ts'

type Deps = Pick<RouteDeps, 'db' | 'blobs' | 'log'>

/** Each may be held in memory until it has been sent. */
const MOST_AT_A_TIME = 30
/** So that nobody who reads slowly takes the places of all. */
const MOST_OF_A_READER = 8
/** As long as the same file may take on its way here. */
const SLOWEST_MS = 60_000

let underWay = 0
const ofReader = new Map<string, number>()

/** Whoever reads too slowly is cut off, so that others get their turn. */
function takeTurn(reader: string, res: Response): void {
  // Whoever has left says so no more: the place would be taken for good. Nobody reads the refusal.
  if (res.destroyed) throw new RequestRefused({ code: 'malformed_request' })
  const own = ofReader.get(reader) ?? 0
  // The provider reads what it was asked about for all vaults.
  const most = reader === 'provider' ? MOST_AT_A_TIME : MOST_OF_A_READER
  if (underWay >= MOST_AT_A_TIME || own >= most) throw new RequestRefused({ code: 'service_unavailable' })
  underWay += 1
  ofReader.set(reader, own + 1)
  const late = setTimeout(() => res.destroy(), SLOWEST_MS)
  res.once('close', () => {
    underWay -= 1
    const left = (ofReader.get(reader) ?? 0) - 1
    if (left > 0) ofReader.set(reader, left)
    else ofReader.delete(reader)
    clearTimeout(late)
  })
}

/** `asView` gives a picture without what it says beside what is seen. */
export async function giveFile(
  deps: Deps,
  { caller, res }: { readonly caller: Reader; readonly res: Response },
  file: AttachedFile,
  { asView }: { readonly asView: boolean },
): Promise<{ body: FileBody }> {
  takeTurn(readerOf(caller), res)
  const { id, entity, entityId, vaultId } = file
  const original = () => open(deps, file)
  const content = await LANES.operators(async () => (asView ? view(await original()) : original()))
  await appendTimeline(deps.db, {
    vaultId,
    entity,
    entityId,
    action: 'file_read',
    actor: caller.actor,
    causeId: readingOf(id),
  })
  return { body: new FileBody(content) }
}

/** It may have been taken back in between; one that was not and is gone should be heard of. */
async function open({ blobs, log }: Deps, { id, name }: AttachedFile): Promise<FileContent> {
  const bytes = await blobs.read(id).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof StorageAway || databaseAway(error)) throw error
    const isGone = error.code === 'ENOENT'
    log.warn(
      { err: error, fileId: id },
      `a file that was attached ${isGone ? 'is not in the blob store' : 'does not open'}`,
    )
    throw isGone ? new RequestRefused({ code: 'not_found' }) : error
  })
  return { name, contentType: contentTypeOf(bytes) ?? 'application/octet-stream', bytes }
}

async function view({ name, contentType, bytes }: FileContent): Promise<FileContent> {
  if (!contentType.startsWith('image/')) return { name, contentType, bytes }
  const seen = await viewOf(bytes).catch((error: unknown) => {
    if (!(error instanceof ImageRefused)) throw error
    const message = 'The picture cannot be decoded: ask for the original.'
    throw new RequestRefused({ code: 'invalid', field: 'original', message })
  })
  return { name: `${name.replace(/\.[^.]*$/, '')}.jpg`, contentType: 'image/jpeg', bytes: seen }
}
