/**
 * Defines the interface of the places that store encrypted files. `blob-folder.ts` and `blob-bucket.ts` implement it.
 */
import { SettingsError } from '../process/settings-error.ts'

/** Thrown if the files cannot be accessed at present. */
export class StorageUnavailable extends SettingsError {
  override readonly name = 'StorageUnavailable'
}

export type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/** Stores bytes under IDs. Each method throws `StorageUnavailable` if the folder or the bucket is unavailable. */
export interface ByteStore {
  /** The name of the folder or bucket in messages. It contains no credentials. */
  readonly name: string
  /**
   * Stores the whole stream. If this fails, throws, and `get` never finds the partial bytes. Throws if the ID is
   * already stored and `isReplacement` is not set. Does not use a chunk after it has requested the next one.
   */
  put(id: string, source: Chunks, options?: { isReplacement?: boolean }): Promise<void>
  /**
   * Returns the bytes, or the first `maxBytes` of them. Returns null if the ID is not stored. The caller may free the
   * memory of the chunks.
   */
  get(id: string, maxBytes?: number): Promise<Chunks | null>
  /** Returns the stored IDs, and the IDs of `put` calls that have not finished. An ID can appear twice. */
  ids(): AsyncIterable<string>
  /** Removes the bytes, and the parts that an interrupted `put` has left. Does nothing if the ID is not stored. */
  remove(id: string): Promise<void>
  /** Returns false if nothing was ever stored here. May return an earlier result, unless `mustAsk` is set. */
  isUsed(mustAsk?: boolean): Promise<boolean>
}
