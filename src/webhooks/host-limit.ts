/**
 * A host gets only so many requests at once; the others wait their turn, vault by vault, as long as the host is not slow.
 */
import { performance } from 'node:perf_hooks'

const MAX_PER_HOST = 50
/** A host whose requests all take longer than this is slow. */
const STANDSTILL_MS = 1_000

interface Waiting {
  /** Whether it waits for a slow host, too. */
  readonly isPatient: () => boolean
  readonly turn: (isMine: boolean) => void
}

interface Lane {
  active: number
  /** When a request began or ended last. */
  movedAt: number
  /** By vault, in the order of their turns: one vault's URL may hang, while another's at the same host does not. */
  readonly waiting: Map<string, Waiting[]>
  timer: NodeJS.Timeout | undefined
}

interface Request extends Pick<Waiting, 'isPatient'> {
  readonly url: string
  readonly vaultId: string
}

interface HostLanes {
  /** Calls `send` when it is the request's turn; gives null when the host is slow, and who waits is not patient. */
  run<T>(request: Request, send: () => Promise<T>): Promise<T | null>
  /** Nobody waits any more. */
  stop(): void
}

export function createHostLanes(maxPerHost = MAX_PER_HOST): HostLanes {
  const lanes = new Map<string, Lane>()
  let stopped = false

  function wait({ waiting }: Lane, vaultId: string, one: Waiting): void {
    const queue = waiting.get(vaultId)
    if (queue) queue.push(one)
    else waiting.set(vaultId, [one])
  }

  function dropWhereItStands(lane: Lane): void {
    lane.timer = undefined
    if (stopped || performance.now() - lane.movedAt >= STANDSTILL_MS) {
      for (const [vaultId, queue] of [...lane.waiting]) {
        lane.waiting.delete(vaultId)
        for (const each of queue) {
          if (!stopped && each.isPatient()) wait(lane, vaultId, each)
          else each.turn(false)
        }
      }
    }
    watch(lane)
  }
  function watch(lane: Lane): void {
    if (lane.waiting.size === 0 || lane.timer) return
    const standsAt = lane.movedAt + STANDSTILL_MS - performance.now()
    lane.timer = setTimeout(dropWhereItStands, standsAt > 0 ? standsAt : STANDSTILL_MS, lane)
  }

  /** The first of the vault whose turn it is, which goes behind the others then. */
  function nextOf({ waiting }: Lane): Waiting | undefined {
    for (const [vaultId, queue] of waiting) {
      const next = queue.shift()
      waiting.delete(vaultId)
      if (queue.length > 0) waiting.set(vaultId, queue)
      return next
    }
    return undefined
  }

  return {
    async run({ url, vaultId, isPatient }, send) {
      if (stopped) return null
      const { host } = new URL(url)
      const lane = lanes.get(host) ?? { active: 0, movedAt: 0, waiting: new Map(), timer: undefined }
      lanes.set(host, lane)
      if (lane.active < maxPerHost) {
        lane.active += 1
      } else {
        const isMine = await new Promise<boolean>((turn) => {
          wait(lane, vaultId, { isPatient, turn })
          watch(lane)
        })
        if (!isMine) return null
      }
      lane.movedAt = performance.now()
      try {
        return await send()
      } finally {
        lane.movedAt = performance.now()
        const next = nextOf(lane)
        if (next) next.turn(true)
        else if (--lane.active === 0) lanes.delete(host)
      }
    },
    stop() {
      stopped = true
      for (const lane of lanes.values()) {
        clearTimeout(lane.timer)
        dropWhereItStands(lane)
      }
    },
  }
}
