/** Stored files, given out: who read which is written down before the first byte goes. */
import type { AttachedFile } from '../db/file.ts'
import { appendTimeline, readingOf } from '../db/timeline.ts'
import { RequestRefused } from '../domain/errors.ts'
import { contentTypeOf } from '../storage/content-type.ts'
import { ImageRefused } from '../storage/image.ts'
import { LANES, viewOf } from '../storage/photo.ts'
import type { Caller } from './caller.ts'
import type { AppDeps } from './deps.ts'
import { FileBody, type FileContent } from './file-answer.ts'

type Deps = Pick<AppDeps, 'db' | 'blobs' | 'log'>

/** `asView` gives a picture without what it says beside what is seen. */
export async function giveFile(
  deps: Deps,
  { actor }: Pick<Caller, 'actor'>,
  file: AttachedFile,
  { asView }: { readonly asView: boolean },
): Promise<{ body: FileBody }> {
  const { id, entity, entityId, vaultId } = file
  const original = () => open(deps, file)
  const content = await LANES.operators(async () => (asView ? view(await original()) : original()))
  await appendTimeline(deps.db, {
    vaultId,
    entity,
    entityId,
    action: 'file_read',
    actor,
    causeId: readingOf(id),
  })
  return { body: new FileBody(content) }
}

/** It may have been taken back in between; one that was not and is gone should be heard of. */
async function open({ blobs, log }: Deps, { id, name }: AttachedFile): Promise<FileContent> {
  const bytes = await blobs.read(id).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    log.warn({ fileId: id }, 'a file that was attached is not in the blob store')
    throw new RequestRefused({ code: 'not_found' })
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
