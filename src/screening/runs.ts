/**
 * Runs screenings, at most one at a time for each entity. Vaults share the capacity equally, and so do the companies
 * and people of a vault.
 */
import type { EntityRef } from '../domain/entity/entity.ts'
import { createFairSlots, type Share } from '../process/fair-slots.ts'

interface Limits {
  readonly maxConcurrent: number
  /** The maximum number of runs in progress or waiting. Housekeeping screens all other entities. */
  readonly maxRuns: number
  readonly maxRunsPerVault: number
}

interface Run {
  readonly vaultId: string
  hasBegun: boolean
  /** True if the entity has changed since the run began, so that the run may have read outdated data. */
  isOutdated: boolean
  ended: Promise<void>
}

interface Runs {
  /**
   * Calls `work` when it is the entity's turn, and again if another call for the entity arrives in the meantime. Waits
   * until the last call ends. Returns immediately if too many runs are waiting.
   */
  run(ref: EntityRef, work: () => Promise<void>): Promise<void>
  isRunning(ref: EntityRef): boolean
  idle(): Promise<void>
}

const keyOf = ({ entity, id }: EntityRef): string => `${entity} ${id}`

export function createRuns({ maxConcurrent, maxRuns, maxRunsPerVault }: Limits): Runs {
  const runs = new Map<string, Run>()
  const slots = createFairSlots<() => void>({ maxConcurrent, begin: (begin) => begin() })

  async function inTurn(share: Share, work: () => Promise<void>): Promise<void> {
    await new Promise<void>((begin) => {
      slots.waitingOf(share).push(begin)
      slots.fill()
    })
    try {
      await work()
    } finally {
      slots.leave(share)
    }
  }

  async function repeat(run: Run, share: Share, work: () => Promise<void>): Promise<void> {
    do {
      run.hasBegun = false
      await inTurn(share, () => {
        Object.assign(run, { hasBegun: true, isOutdated: false })
        return work()
      })
    } while (run.isOutdated)
  }

  const hasRoom = (vaultId: string): boolean =>
    runs.size < maxRuns &&
    [...runs.values()].filter((run) => run.vaultId === vaultId).length < maxRunsPerVault

  return {
    async run(ref, work) {
      const key = keyOf(ref)
      const known = runs.get(key)
      if (known) {
        known.isOutdated ||= known.hasBegun
        return known.ended
      }
      const { vaultId, entity } = ref
      if (!hasRoom(vaultId)) return
      const run: Run = { vaultId, hasBegun: false, isOutdated: false, ended: Promise.resolve() }
      runs.set(key, run)
      run.ended = repeat(run, { vaultId, caller: entity }, work).finally(() => runs.delete(key))
      return run.ended
    },
    isRunning: (ref) => runs.has(keyOf(ref)),
    async idle() {
      await Promise.allSettled([...runs.values()].map(({ ended }) => ended))
    },
  }
}
