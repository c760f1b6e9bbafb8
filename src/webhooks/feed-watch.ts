/**
 * Lets requests wait for new events of a vault. One query at a time looks for the news of all waiting requests of a
 * process, so that a waiting request holds no database connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection/database.ts'
import { placeEvents, readFeedEnds } from '../db/webhooks/event-feed.ts'
import { largestGroup } from '../process/fair-slots.ts'
import { type Logger, throttled } from '../process/log.ts'

const INTERVAL_MS = 100
const MAX_WAITING_OF_VAULT = 100

interface Waiting {
  readonly vaultId: string
  readonly caller: string
  /** The position that the reader has reached. */
  readonly position: number
  readonly end: () => void
}

export interface FeedWatch {
  /**
   * Waits at most `ms` until the vault has events after the position. Also ends if the signal aborts, the process stops
   * or another caller of the vault needs the place. Returns false immediately if too many requests of the vault are
   * waiting and no other caller has more of them.
   */
  wait(after: Omit<Waiting, 'end'>, ms: number, signal: AbortSignal): Promise<boolean>
  readonly isStopping: () => boolean
  /** Ends all waits, including later ones. */
  stop(): void
}

export function createFeedWatch({ db, log }: { readonly db: Database; readonly log: Logger }): FeedWatch {
  const waiting = new Set<Waiting>()
  const stopping = new AbortController()
  const warn = throttled((err) => log.warn({ err }, 'new events were not found'))
  let isRunning = false

  async function look(): Promise<void> {
    const vaultIds = [...new Set([...waiting].map(({ vaultId }) => vaultId))]
    for (const { vaultId, last, hasUnplaced } of await readFeedEnds(db, vaultIds)) {
      if (hasUnplaced) await placeEvents(db, vaultId)
      for (const each of waiting)
        if (each.vaultId === vaultId && (hasUnplaced || each.position !== last)) each.end()
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.size > 0) {
      await look().catch(warn)
      await sleep(INTERVAL_MS)
    }
    isRunning = false
  }

  return {
    isStopping: () => stopping.signal.aborted,
    async wait(after, ms, signal) {
      const ofVault = [...waiting].filter(({ vaultId }) => vaultId === after.vaultId)
      if (ofVault.length >= MAX_WAITING_OF_VAULT) {
        const found = largestGroup(ofVault, ({ caller }) => caller)
        if (found.length < ofVault.filter(({ caller }) => caller === after.caller).length + 2) return false
        found[0]?.end()
      }
      const ended = AbortSignal.any([signal, stopping.signal])
      if (ended.aborted) return true
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer)
          ended.removeEventListener('abort', end)
          waiting.delete(each)
          resolve()
        }
        const each = { ...after, end }
        const timer = setTimeout(end, ms)
        ended.addEventListener('abort', end)
        waiting.add(each)
        if (!isRunning) void run()
      })
      return true
    },
    stop: () => stopping.abort(),
  }
}
