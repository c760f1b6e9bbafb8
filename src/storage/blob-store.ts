/** Stores uploaded files, encrypted, in a folder or a bucket. The name of a blob is the ID of its file. */
import { createHash } from 'node:crypto'
import { parseBlobUrls } from '../process/blob-url.ts'
import type { Config } from '../process/config.ts'
import { type BucketLimits, createBlobBucket } from './blob-bucket.ts'
import { createBlobFolder } from './blob-folder.ts'
import { type ByteStore, type Chunks, StorageUnavailable } from './byte-store.ts'
import { type Encryption, keyIdOf } from './encryption.ts'
import { releaseMemory } from './memory.ts'

/** The maximum size of the header: one byte for the length of the key ID, and up to 32 for the key ID. */
const MAX_HEADER_BYTES = 33

/** Readers look for the end marker of a format in this many bytes at the end of a file. */
const END_BYTES = 1_024

export type BlobSettings = Pick<Config, 'BLOB_URL'> &
  Partial<Pick<Config, 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN'>>

/** Opens the folders and buckets, in the order of `BLOB_URL`. */
export const connectByteStores = (settings: BlobSettings, limits?: BucketLimits): ByteStore[] =>
  parseBlobUrls(settings.BLOB_URL).map((location) =>
    location.kind === 'folder'
      ? createBlobFolder(location.path)
      : createBlobBucket(
          location,
          {
            accessKeyId: settings.AWS_ACCESS_KEY_ID ?? '',
            secretAccessKey: settings.AWS_SECRET_ACCESS_KEY ?? '',
            sessionToken: settings.AWS_SESSION_TOKEN,
          },
          limits,
        ),
  )

/** Thrown if no blob with the ID is stored. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
}

interface Written {
  readonly size: number
  readonly sha256: Buffer
  /** The last kilobyte of the file. */
  readonly end: Buffer
}

/** Stores blobs. Each method throws `StorageUnavailable` if the folder, its disk or the bucket is unavailable. */
export interface BlobStore {
  /**
   * Stores the whole stream. If this fails, throws, and `read` never finds the partial blob. May overwrite a chunk
   * after it has requested the next one.
   */
  write(id: string, source: Chunks, options?: { isReplacement?: boolean }): Promise<Written>
  /** Returns the decrypted bytes. Throws `BlobMissing` if there is no such blob. */
  read(id: string): Promise<Buffer>
  /** Returns the ID of the key that encrypted the blob, or null if there is no such blob. */
  keyId(id: string): Promise<string | null>
  /** Returns the IDs of all blobs. Partial blobs, and blobs that are in several places, can appear twice. */
  ids(): AsyncIterable<string>
  /** Removes a blob, and the parts that an interrupted `write` has left. Does nothing if the blob does not exist. */
  remove(id: string): Promise<void>
  /** Throws unless the blobs can be accessed now. */
  check(): Promise<void>
}

/**
 * Creates a store. The first place stores new blobs, but all places are read, because it takes a while to move the
 * blobs. `isEmpty` returns whether no file has been stored yet.
 */
export function createBlobStore(
  places: readonly ByteStore[],
  encryption: Encryption,
  isEmpty: () => Promise<boolean>,
): BlobStore {
  const [first] = places as readonly [ByteStore]
  const context = (id: string) => `files:${id}`

  /**
   * Throws StorageUnavailable if a volume is not mounted or a prefix is wrong. The place would otherwise appear empty,
   * accept new files and lack all earlier ones.
   */
  async function requireUsed(): Promise<void> {
    for (const place of places) if (await place.isUsed()) return
    if (await isEmpty()) return
    throw new StorageUnavailable(
      `BLOB_URL: ${first.name} contains none of the stored files. Check that the volume is mounted, or the prefix.`,
    )
  }

  /** Returns the bytes, or null if no place has the blob. Checks the places before it reports a missing blob. */
  async function find(id: string, maxBytes?: number): Promise<Buffer | null> {
    for (const place of places) {
      const found = await place.get(id, maxBytes)
      if (found) return collect(found)
    }
    await requireUsed()
    return null
  }

  return {
    async check() {
      await Promise.all(places.map((place) => place.isUsed(true)))
      await requireUsed()
    },
    async write(id, source, options) {
      await requireUsed()
      const hash = createHash('sha256')
      let size = 0
      let end: Buffer = Buffer.alloc(0)
      async function* sealed(): AsyncGenerator<Buffer> {
        const { header, cipher } = encryption.sealing(context(id))
        yield header
        for await (const chunk of source) {
          hash.update(chunk)
          size += chunk.length
          end = Buffer.concat([end, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES)
          const encrypted = cipher.update(chunk)
          yield encrypted
          releaseMemory(encrypted)
        }
        cipher.final()
        yield cipher.getAuthTag()
      }
      await first.put(id, sealed(), options)
      return { size, sha256: hash.digest(), end }
    },
    async read(id) {
      const found = await find(id)
      if (!found) throw new BlobMissing(`${context(id)} is not stored.`)
      try {
        return encryption.unseal(found, context(id))
      } finally {
        releaseMemory(found)
      }
    },
    async keyId(id) {
      const start = await find(id, MAX_HEADER_BYTES)
      return start && keyIdOf(start)
    },
    async *ids() {
      for (const place of places) yield* place.ids()
    },
    async remove(id) {
      await requireUsed()
      for (const place of places) await place.remove(id)
    },
  }
}

/** Returns the bytes in one buffer, and frees the memory of the chunks. */
export async function collect(source: Chunks): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of source) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  chunks.forEach(releaseMemory)
  return whole
}
