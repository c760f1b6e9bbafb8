/**
 * Manages the leases of this process. A process claims webhook logs under a lease, and attempts them only while the
 * lease is valid.
 * All claims use the current lease. A timer renews this lease, and earlier leases that attempts still use. The process
 * measures the age of a lease on its own monotonic clock, from the moment at which it sends the renewal. It therefore
 * stops before the lease expires in PostgreSQL. A lost or abandoned lease never becomes valid again. Instead, a new
 * lease becomes current, and the old one is deleted once no attempt uses it.
 */
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Database } from '../db/connection/database.ts'
import { deleteLeases, LEASE_SECONDS, renewLeases } from '../db/webhooks/lease.ts'
import { type Logger, throttled } from '../process/log.ts'

const RENEWAL_INTERVAL_MS = 2_000
/**
 * How long this process relies on a lease. This is shorter than the lease's validity in PostgreSQL, because another
 * process may have read the lease 4.5 seconds earlier.
 */
const HELD_MS = LEASE_SECONDS * 1_000 - 4_500

export interface Lease {
  readonly id: string
  /** Returns whether the lease is valid. Check it directly before each request. Once false, it remains false. */
  isHeld(): boolean
}

export interface Leases {
  /** Returns the current lease once it is valid. Throws while PostgreSQL is unavailable. */
  getCurrent(): Promise<Lease>
  /** Runs a claim under the current lease. If the claim throws, abandons the lease. */
  claim<T>(run: (lease: Lease) => Promise<T>): Promise<T>
  /**
   * Renews the lease until `work` has finished, even if the lease is no longer valid, because the results must still be
   * recorded.
   */
  keepDuring<T>(lease: Lease, work: Promise<T>): Promise<T>
  /** Stops all use of the lease, because a statement whose response was lost may have claimed unknown logs under it. */
  abandon(lease: Lease): void
  stop(): Promise<void>
}

interface OwnLease extends Lease {
  /** Until when the lease is valid, on the monotonic clock. 0 until the lease exists in PostgreSQL. */
  heldUntil: number
  isLost: boolean
  /** The number of promises that need the lease. */
  uses: number
}

interface State {
  readonly known: Map<string, OwnLease>
  current: OwnLease
  renewing: Promise<void> | null
  timer: NodeJS.Timeout | undefined
}

export function createLeases({ db, log }: { db: Database; log: Logger }): Leases {
  const warn = throttled((err) => log.warn({ err }, 'delivery leases were not renewed'))
  const first = newLease()
  const state: State = {
    known: new Map([[first.id, first]]),
    current: first,
    renewing: null,
    timer: setTimeout(onTimer, 0),
  }

  function replaceCurrent(): void {
    state.current = newLease()
    state.known.set(state.current.id, state.current)
  }

  async function onTimer(): Promise<void> {
    await renew().catch(warn)
    if (state.timer) state.timer = setTimeout(onTimer, RENEWAL_INTERVAL_MS)
  }

  /** Renews all leases in use. Callers share a renewal that is in progress. */
  function renew(): Promise<void> {
    state.renewing ??= renewAll().finally(() => {
      state.renewing = null
    })
    return state.renewing
  }

  async function renewAll(): Promise<void> {
    if (state.current.isLost) replaceCurrent()
    const leases = [...state.known.values()]
    const sentAt = performance.now()
    await renewLeases(db, idsOf(leases))
    for (const lease of leases)
      if (lease.heldUntil === 0 || lease.isHeld()) lease.heldUntil = sentAt + HELD_MS
    await deleteUnused()
  }

  /** Deletes unused leases. This also releases the logs of claims whose responses were lost. */
  async function deleteUnused(): Promise<void> {
    const unused = [...state.known.values()].filter((lease) => lease !== state.current && lease.uses === 0)
    if (unused.length === 0) return
    for (const lease of unused) {
      state.known.delete(lease.id)
      lease.isLost = true
    }
    await deleteLeases(db, idsOf(unused))
  }

  async function getCurrent(): Promise<Lease> {
    while (!state.current.isHeld()) await renew()
    return state.current
  }

  function keepDuring<T>({ id }: Lease, work: Promise<T>): Promise<T> {
    const lease = state.known.get(id)
    if (!lease) return work
    lease.uses += 1
    return work.finally(() => {
      lease.uses -= 1
    })
  }

  function abandon({ id }: Lease): void {
    if (id !== state.current.id) return
    state.current.isLost = true
    // Attempts that wait long for a host keep the old lease, which must not delay other claims.
    replaceCurrent()
  }

  return {
    getCurrent,
    keepDuring,
    abandon,
    async claim(run) {
      const lease = await getCurrent()
      try {
        return await keepDuring(lease, run(lease))
      } catch (error) {
        abandon(lease)
        throw error
      }
    },
    async stop() {
      clearTimeout(state.timer)
      state.timer = undefined
      await state.renewing?.catch(() => {})
      await deleteLeases(db, [...state.known.keys()]).catch((err) =>
        log.warn({ err }, 'delivery leases were not deleted'),
      )
    },
  }
}

function newLease(): OwnLease {
  const lease: OwnLease = {
    id: randomUUID(),
    heldUntil: 0,
    isLost: false,
    uses: 0,
    isHeld() {
      if (lease.heldUntil > 0 && performance.now() > lease.heldUntil) lease.isLost = true
      return lease.heldUntil > 0 && !lease.isLost
    },
  }
  return lease
}

const idsOf = (leases: readonly Lease[]) => leases.map(({ id }) => id)
