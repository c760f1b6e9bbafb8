/**
 * A limited number of places for work, shared between vaults, and within a vault between its callers.
 *
 * A free place goes to the vault that holds the fewest, and of several such vaults to the one that has waited longest for
 * its turn. Within the vault, the same rule chooses the caller. So what one caller sends delays none of the others.
 */

/** Who a place is for. */
export interface Share {
  readonly vaultId: string
  readonly caller: string
}

interface Places<T> {
  readonly atOnce: number
  /** By default, one vault may hold all places, and one caller all places of its vault. */
  readonly ofVault?: number
  readonly ofCaller?: number
  /** Removes the next entry from those of one caller, oldest first. Undefined: none of them can begin now. */
  readonly pick?: (waiting: T[]) => T | undefined
  /** Called once for each entry that gets a place. */
  readonly begin: (entry: T) => void
}

interface FairPlaces<T> {
  /** Returns the entries of this caller that wait, for the caller to put its own where it belongs. Then call `fill`. */
  waitingOf(share: Share): T[]
  /** Gives free places to entries that wait. */
  fill(): void
  /** Frees the place of an entry that began, and fills it. */
  leave(share: Share): void
}

interface Holder {
  active: number
  /** Rises with each place that is given away. */
  servedAt: number
}
interface Lane<T> extends Holder {
  readonly waiting: T[]
}
interface Vault<T> extends Holder {
  readonly lanes: Map<string, Lane<T>>
}

const byShare = (one: Holder, other: Holder): number =>
  one.active - other.active || one.servedAt - other.servedAt

export function createFairPlaces<T>({
  atOnce,
  ofVault = atOnce,
  ofCaller = ofVault,
  pick = (waiting) => waiting.shift(),
  begin,
}: Places<T>): FairPlaces<T> {
  const vaults = new Map<string, Vault<T>>()
  let active = 0
  let turn = 0

  function laneOf({ vaultId, caller }: Share): { vault: Vault<T>; lane: Lane<T> } {
    const vault = vaults.get(vaultId) ?? { active: 0, servedAt: ++turn, lanes: new Map() }
    vaults.set(vaultId, vault)
    const lane = vault.lanes.get(caller) ?? { active: 0, servedAt: ++turn, waiting: [] }
    vault.lanes.set(caller, lane)
    return { vault, lane }
  }

  /** Forgets who holds nothing and waits for nothing. */
  function forget({ vaultId, caller }: Share): void {
    const vault = vaults.get(vaultId)
    const lane = vault?.lanes.get(caller)
    if (!vault || !lane || lane.active > 0 || lane.waiting.length > 0) return
    vault.lanes.delete(caller)
    if (vault.lanes.size === 0) vaults.delete(vaultId)
  }

  function takeNext(): T | undefined {
    const ready = [...vaults].filter(([, vault]) => vault.active < ofVault)
    for (const [vaultId, vault] of ready.sort(([, one], [, other]) => byShare(one, other))) {
      const lanes = [...vault.lanes].filter(([, lane]) => lane.active < ofCaller && lane.waiting.length > 0)
      for (const [caller, lane] of lanes.sort(([, one], [, other]) => byShare(one, other))) {
        const entry = pick(lane.waiting)
        if (entry === undefined) {
          forget({ vaultId, caller })
          continue
        }
        turn += 1
        for (const holder of [vault, lane])
          Object.assign(holder, { active: holder.active + 1, servedAt: turn })
        active += 1
        return entry
      }
    }
    return undefined
  }

  function fill(): void {
    while (active < atOnce) {
      const entry = takeNext()
      if (entry === undefined) return
      begin(entry)
    }
  }

  return {
    waitingOf: (share) => laneOf(share).lane.waiting,
    fill,
    leave(share) {
      const { vault, lane } = laneOf(share)
      active -= 1
      vault.active -= 1
      lane.active -= 1
      forget(share)
      fill()
    },
  }
}
