/** A host gets only so many requests at once; the others wait their turn, as long as the host is not slow. */
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
  waiting: Waiting[]
  timer: NodeJS.Timeout | undefined
}

interface HostLanes {
  /** Calls `send` when it is the URL's turn; gives null when the host is slow, and who waits is not patient. */
  run<T>(url: string, isPatient: () => boolean, send: () => Promise<T>): Promise<T | null>
  /** Nobody waits any more. */
  stop(): void
}

export function createHostLanes(maxPerHost = MAX_PER_HOST): HostLanes {
  const lanes = new Map<string, Lane>()
  let stopped = false

  function dropWhereItStands(lane: Lane): void {
    lane.timer = undefined
    if (stopped || performance.now() - lane.movedAt >= STANDSTILL_MS) {
      const waiting = lane.waiting.splice(0)
      for (const each of waiting) {
        if (!stopped && each.isPatient()) lane.waiting.push(each)
        else each.turn(false)
      }
    }
    watch(lane)
  }
  function watch(lane: Lane): void {
    if (lane.waiting.length === 0 || lane.timer) return
    const standsAt = lane.movedAt + STANDSTILL_MS - performance.now()
    lane.timer = setTimeout(dropWhereItStands, standsAt > 0 ? standsAt : STANDSTILL_MS, lane)
  }

  return {
    async run(url, isPatient, send) {
      if (stopped) return null
      const { host } = new URL(url)
      const lane = lanes.get(host) ?? { active: 0, movedAt: 0, waiting: [], timer: undefined }
      lanes.set(host, lane)
      if (lane.active < maxPerHost) {
        lane.active += 1
      } else {
        const isMine = await new Promise<boolean>((turn) => {
          lane.waiting.push({ isPatient, turn })
          watch(lane)
        })
        if (!isMine) return null
      }
      lane.movedAt = performance.now()
      try {
        return await send()
      } finally {
        lane.movedAt = performance.now()
        const next = lane.waiting.shift()
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
