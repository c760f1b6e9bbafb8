/** Defines where encrypted files are stored. `blob-folder.ts` and `blob-bucket.ts` implement it. */
import { SettingsError } from '../process/settings-error.ts'

/** Thrown if the files cannot be accessed now. */
export class StorageUnavailable extends SettingsError {
  override readonly name = 'StorageUnavailable'
}

export type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/** Stores bytes under IDs. Each method throws `StorageUnavailable` if the folder or the bucket is unavailable. */
export interface ByteStore {
  /** The folder or bucket for messages, without credentials. */
  readonly name: string
  /**
   * Stores the whole stream. If it fails, throws, and `get` never finds the partial bytes. Throws if the ID is already
   * stored, unless `isReplacement` is set. Does not keep a chunk after requesting the next one.
   */
  put(id: string, source: Chunks, options?: { isReplacement?: boolean }): Promise<void>
  /** Returns the bytes, or the first `maxBytes` of them. Returns null if the ID is not stored. */
  get(id: string, maxBytes?: number): Promise<Chunks | null>
  /** Returns the stored IDs, and the IDs that a `put` has not finished. Some can appear twice. */
  ids(): AsyncIterable<string>
  /** Also removes what an interrupted `put` left. Does nothing if the ID is not stored. */
  remove(id: string): Promise<void>
  /** Returns false if nothing was ever stored here. May return an earlier result unless `mustAsk` is set. */
  isUsed(mustAsk?: boolean): Promise<boolean>
}
