/**
 * Command: `rotate-data-key`. Encrypts everything with the first encryption key, and reports whether older keys can be
 * removed.
 */
import type { Database } from '../db/connection/database.ts'
import { type KeyUse, readKeyUse, resealBlobs, resealColumn, UNKNOWN } from '../db/connection/key-rotation.ts'
import type { BlobStore } from '../storage/blob-store.ts'

const REPORT_INTERVAL = 100

/**
 * Encrypts everything again, and returns the IDs of the older keys that are still in use. The list is empty if
 * everything is re-encrypted.
 */
export async function rotateDataKey(db: Database, blobs: BlobStore, say: (line: string) => void) {
  const current = db.encryption.keyId
  for (const [name, use] of await readKeyUse(db, blobs)) {
    const due = sum(olderThan(current, use))
    if (due === 0) continue
    let shown = 0
    const done = (count: number) => {
      // The count can skip a multiple of the interval, because it excludes values that cannot be decrypted.
      if (count < shown + REPORT_INTERVAL && count !== due) return
      shown = count
      say(`${name}: ${count} of ${due} re-encrypted`)
    }
    const progress = { done, unopened: say }
    if (name === 'files') await resealBlobs(db, blobs, progress)
    else await resealColumn(db, name, progress)
  }
  const left = new Map<string, number>()
  for (const use of (await readKeyUse(db, blobs)).values()) {
    for (const [key, count] of olderThan(current, use)) left.set(key, (left.get(key) ?? 0) + count)
  }
  for (const [key, count] of left) {
    const seals = `The key ${key} still encrypts ${count} values. Keep it, and run this command again.`
    say(key === UNKNOWN ? `The key of ${count} values cannot be determined. Keep all keys.` : seals)
  }
  if (left.size === 0) {
    say(`All values are encrypted with the key ${current}. You can remove older keys from ENCRYPTION_KEYS.`)
  }
  return [...left.keys()]
}

const olderThan = (current: string, use: KeyUse): [string, number][] =>
  [...use].filter(([key]) => key !== current)

const sum = (counts: readonly [string, number][]) => counts.reduce((total, [, count]) => total + count, 0)
