/** Rules for the event feed, from which clients read all events of a vault in one order. */
import type { Topic } from '../base/topics.ts'

interface FeedEvent {
  readonly position: number
  readonly logId: string
  readonly topic: Topic
  /** The body that webhooks carry. */
  readonly payload: string
  readonly createdAt: Date
}

/** A place in the feed of a vault: everything up to `position` has been read. */
export interface FeedCursor {
  readonly vaultId: string
  readonly position: number
  /**
   * The log of the event at the position, or null if there is none. After a restore of an older backup, another event
   * can have the position.
   */
  readonly logId: string | null
}

export interface FeedPage {
  readonly events: readonly FeedEvent[]
  readonly cursor: FeedCursor
  readonly hasMore: boolean
}

/** Stands for the missing ID of a log. */
const NO_LOG = '00000000-0000-0000-0000-000000000000'

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export function writeCursor({ vaultId, position, logId }: FeedCursor): string {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(position))
  return Buffer.concat([bytesOf(vaultId), place, bytesOf(logId ?? NO_LOG)]).toString('base64url')
}

/** Matches every text that `writeCursor` can return: 40 bytes as base64url. */
export const CURSOR = /^[A-Za-z0-9_-]{53}[AQgw]$/

/** Returns the cursor in a text that matches `CURSOR`. */
export function readCursor(text: string): FeedCursor {
  const bytes = Buffer.from(text, 'base64url')
  const logId = uuidOf(bytes.subarray(24))
  return {
    vaultId: uuidOf(bytes.subarray(0, 16)),
    // No feed reaches the largest position, so a cursor that was changed is refused later.
    position: Math.min(Number(bytes.readBigUInt64BE(16)), Number.MAX_SAFE_INTEGER),
    logId: logId === NO_LOG ? null : logId,
  }
}
