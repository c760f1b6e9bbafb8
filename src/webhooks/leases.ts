/**
 * The leases of this process: who holds one attempts what it has claimed under it, and nobody else does. Whether it
 * holds is decided by this process' monotonic clock, from before the statement that renewed it was sent.
 */
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Database } from '../db/connection/database.ts'
import { endLeases, LEASE_SECONDS, renewLeases } from '../db/webhooks/lease.ts'
import { type Logger, throttled } from '../process/log.ts'

const RENEWED_EVERY_MS = 2_000
/** Less than PostgreSQL gives: another process' statement may have looked at the lease 4.5 seconds ago. */
const HELD_MS = LEASE_SECONDS * 1_000 - 4_500

export interface Lease {
  readonly id: string
  /** Looked at right before something is sent. Once it did not hold, it never does again. */
  holds(): boolean
}

interface Leases {
  /** One that holds, under which more is claimed; throws while PostgreSQL is away. */
  held(): Promise<Lease>
  /** For as long as `work` takes, `lease` is renewed: also one that is lost, for what is still to be recorded. */
  during<T>(lease: Lease, work: Promise<T>): Promise<T>
  /**
   * Nothing more is claimed or sent under it: a statement whose answer was lost may have claimed what nobody knows of,
   * which is free once what is being sent has been recorded.
   */
  renounce(lease: Lease): void
  stop(): Promise<void>
}

interface Held extends Lease {
  until: number
  lost: boolean
  uses: number
}

export function createLeases({ db, log }: { db: Database; log: Logger }): Leases {
  const say = throttled((err) => log.warn({ err }, 'the lease of deliveries was not renewed'))
  const known = new Map<string, Held>()
  let current = add()
  let renewing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  function add(): Held {
    const lease: Held = {
      id: randomUUID(),
      until: 0,
      lost: false,
      uses: 0,
      holds() {
        if (lease.until > 0 && performance.now() > lease.until) lease.lost = true
        return lease.until > 0 && !lease.lost
      },
    }
    known.set(lease.id, lease)
    return lease
  }

  async function renew(): Promise<void> {
    if (current.lost) current = add()
    const leases = [...known.values()]
    const sentAt = performance.now()
    await renewLeases(
      db,
      leases.map(({ id }) => id),
    )
    for (const lease of leases) if (lease.until === 0 || lease.holds()) lease.until = sentAt + HELD_MS
    await forget()
  }

  /** Those that nothing needs any more: what they hold unknowingly is free then. */
  async function forget(): Promise<void> {
    const left = [...known.values()].filter((lease) => lease !== current && lease.uses === 0)
    if (left.length === 0) return
    for (const lease of left) {
      known.delete(lease.id)
      lease.lost = true
    }
    await endLeases(
      db,
      left.map(({ id }) => id),
    )
  }

  const renewOnce = () => {
    renewing ??= renew().finally(() => {
      renewing = null
    })
    return renewing
  }

  async function tick(): Promise<void> {
    await renewOnce().catch(say)
    if (timer) timer = setTimeout(tick, RENEWED_EVERY_MS)
  }
  timer = setTimeout(tick, 0)

  return {
    async held() {
      while (!current.holds()) await renewOnce()
      return current
    },
    async during(lease, work) {
      const own = known.get(lease.id)
      if (own) own.uses += 1
      return work.finally(() => {
        if (own) own.uses -= 1
      })
    },
    renounce(lease) {
      if (lease !== current) return
      // Otherwise who waits long for a turn would keep what nobody knows of from everybody.
      current.lost = true
      current = add()
    },
    async stop() {
      clearTimeout(timer)
      timer = undefined
      await renewing?.catch(() => {})
      await endLeases(db, [...known.keys()]).catch((err) => log.warn({ err }, 'leases were not ended'))
    },
  }
}
