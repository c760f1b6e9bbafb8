/**
 * Divides a limited number of slots among vaults, each vault's slots among people and programs, and those among their
 * callers. A free slot goes to the vault that uses the fewest slots. If several vaults use equally few, it goes to the
 * vault that was served least recently. The same rule selects between people and programs, and then the caller. No
 * caller can therefore delay others by sending more requests, and no client can delay people by using more keys.
 */

/** The vault and the caller who occupy a slot. */
export interface Share {
  readonly vaultId: string
  readonly caller: string
  /** Whether the caller is a program that uses the API, and not a person. */
  readonly isProgram?: boolean
}

interface SlotLimits<T> {
  readonly maxConcurrent: number
  /** The maximum per vault, and per caller of a vault. By default, one caller may use all slots. */
  readonly maxPerVault?: number
  readonly maxPerCaller?: number
  /**
   * Removes and returns the next entry from a caller's waiting entries, which are sorted, oldest first. Returns
   * undefined if no entry can begin now.
   */
  readonly pick?: (waiting: T[]) => T | undefined
  /** Runs once for each entry that gets a slot. */
  readonly begin: (entry: T) => void
}

interface FairSlots<T> {
  /** Returns the waiting entries of a caller. To wait, add an entry and then call `fill`. */
  waitingOf(share: Share): T[]
  /** Assigns free slots to waiting entries. */
  fill(): void
  /** Frees the slot of an entry that has ended, and assigns the slot again. */
  leave(share: Share): void
}

interface Holder {
  active: number
  /** When the last slot was assigned, as a number that increases with each assignment. */
  servedAt: number
}
interface CallerQueue<T> extends Holder {
  readonly waiting: T[]
  readonly isProgram: boolean
}
interface Vault<T> extends Holder {
  readonly callerQueues: Map<string, CallerQueue<T>>
  readonly people: Holder
  readonly programs: Holder
}

const byShare = (one: Holder, other: Holder): number =>
  one.active - other.active || one.servedAt - other.servedAt

const kindOf = ({ people, programs }: Vault<unknown>, { isProgram }: CallerQueue<unknown>): Holder =>
  isProgram ? programs : people

/** Returns all that hold the slots of a caller. */
const holdersOf = (vault: Vault<unknown>, callerQueue: CallerQueue<unknown>): Holder[] => [
  vault,
  kindOf(vault, callerQueue),
  callerQueue,
]

export function createFairSlots<T>({
  maxConcurrent,
  maxPerVault = maxConcurrent,
  maxPerCaller = maxPerVault,
  pick = (waiting) => waiting.shift(),
  begin,
}: SlotLimits<T>): FairSlots<T> {
  const vaults = new Map<string, Vault<T>>()
  let active = 0
  let turn = 0

  function queueOf({ vaultId, caller, isProgram = false }: Share): {
    vault: Vault<T>
    callerQueue: CallerQueue<T>
  } {
    const vault = vaults.get(vaultId) ?? {
      ...{ active: 0, servedAt: ++turn, callerQueues: new Map() },
      people: { active: 0, servedAt: 0 },
      programs: { active: 0, servedAt: 0 },
    }
    vaults.set(vaultId, vault)
    const callerQueue = vault.callerQueues.get(caller) ?? {
      active: 0,
      servedAt: ++turn,
      waiting: [],
      isProgram,
    }
    vault.callerQueues.set(caller, callerQueue)
    return { vault, callerQueue }
  }

  /** Removes callers and vaults that have neither slots nor waiting entries. */
  function forget({ vaultId, caller }: Share): void {
    const vault = vaults.get(vaultId)
    const callerQueue = vault?.callerQueues.get(caller)
    if (!vault || !callerQueue || callerQueue.active > 0 || callerQueue.waiting.length > 0) return
    vault.callerQueues.delete(caller)
    if (vault.callerQueues.size === 0) vaults.delete(vaultId)
  }

  function takeNextEntry(): T | undefined {
    const ready = [...vaults].filter(([, vault]) => vault.active < maxPerVault)
    for (const [vaultId, vault] of ready.sort(([, one], [, other]) => byShare(one, other))) {
      const callerQueues = [...vault.callerQueues].filter(
        ([, callerQueue]) => callerQueue.active < maxPerCaller && callerQueue.waiting.length > 0,
      )
      const byKind = (one: CallerQueue<T>, other: CallerQueue<T>) =>
        byShare(kindOf(vault, one), kindOf(vault, other)) || byShare(one, other)
      for (const [caller, callerQueue] of callerQueues.sort(([, one], [, other]) => byKind(one, other))) {
        const entry = pick(callerQueue.waiting)
        if (entry === undefined) {
          forget({ vaultId, caller })
          continue
        }
        turn += 1
        for (const holder of holdersOf(vault, callerQueue))
          Object.assign(holder, { active: holder.active + 1, servedAt: turn })
        active += 1
        return entry
      }
    }
    return undefined
  }

  function fill(): void {
    while (active < maxConcurrent) {
      const entry = takeNextEntry()
      if (entry === undefined) return
      begin(entry)
    }
  }

  return {
    waitingOf: (share) => queueOf(share).callerQueue.waiting,
    fill,
    leave(share) {
      const { vault, callerQueue } = queueOf(share)
      active -= 1
      for (const holder of holdersOf(vault, callerQueue)) holder.active -= 1
      forget(share)
      fill()
    },
  }
}

/** Returns the entries of the name with the most entries, in their order, and of the first such name if there are several. */
export function largestGroup<T>(entries: readonly T[], nameOf: (entry: T) => string): readonly T[] {
  const groups = new Map<string, T[]>()
  for (const entry of entries) groups.set(nameOf(entry), [...(groups.get(nameOf(entry)) ?? []), entry])
  return [...groups.values()].sort((one, other) => other.length - one.length)[0] ?? []
}
