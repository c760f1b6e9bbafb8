/**
 * Limits the number of concurrent requests to each host.
 * A request beyond the limit waits in the queue of its vault. When a request ends, the oldest request of the next vault
 * starts, so that a vault whose URL hangs does not block other vaults at the same host. A host is slow if no request to
 * it has started or ended for a second. After that, only requests that accept slow hosts continue to wait.
 */
import { performance } from 'node:perf_hooks'

const MAX_PER_HOST = 50
const SLOW_MS = 1_000

interface Request {
  readonly url: string
  readonly vaultId: string
  /** Returns whether the request waits even if the host is slow. The value may change during the wait. */
  readonly canWaitLong: () => boolean
}

interface QueuedRequest extends Pick<Request, 'canWaitLong'> {
  /** Called once. The argument is true if the request may be sent. */
  readonly settle: (isSent: boolean) => void
}

interface Host {
  active: number
  /** When a request last started or ended. */
  movedAt: number
  /** The queued requests, keyed by vault. The order of the vaults is the order in which their requests start. */
  readonly queues: Map<string, QueuedRequest[]>
  /** The timer that checks whether the host is slow while requests are queued. */
  timer: NodeJS.Timeout | undefined
}

export interface HostLimit {
  /**
   * Calls `send` when the host has a free slot. Returns null if the host is slow and the request does not wait for it.
   */
  run<T>(request: Request, send: () => Promise<T>): Promise<T | null>
  /** Refuses all queued and later requests. */
  stop(): void
}

export function createHostLimit(maxPerHost = MAX_PER_HOST): HostLimit {
  const state = { hosts: new Map<string, Host>(), isStopped: false }

  function getHost(url: string): Host {
    const { host: name } = new URL(url)
    const host = state.hosts.get(name) ?? { active: 0, movedAt: 0, queues: new Map(), timer: undefined }
    state.hosts.set(name, host)
    return host
  }

  /** Waits for a slot. Returns whether the request may be sent. */
  async function acquireSlot(host: Host, { vaultId, canWaitLong }: Request): Promise<boolean> {
    if (host.active < maxPerHost) {
      host.active += 1
      return true
    }
    return new Promise<boolean>((settle) => {
      enqueue(host, vaultId, { canWaitLong, settle })
      watch(host)
    })
  }

  /** Passes the slot of a request that has ended to the next queued request. */
  function passSlot(url: string, host: Host): void {
    const next = dequeue(host)
    if (next) next.settle(true)
    else if (--host.active === 0) state.hosts.delete(new URL(url).host)
  }

  function watch(host: Host): void {
    if (host.queues.size === 0 || host.timer) return
    const slowInMs = host.movedAt + SLOW_MS - performance.now()
    host.timer = setTimeout(refuseIfSlow, slowInMs > 0 ? slowInMs : SLOW_MS, host)
  }

  function refuseIfSlow(host: Host): void {
    host.timer = undefined
    if (state.isStopped || performance.now() - host.movedAt >= SLOW_MS) refuseQueued(host)
    watch(host)
  }

  function refuseQueued(host: Host): void {
    for (const [vaultId, queue] of [...host.queues]) {
      host.queues.delete(vaultId)
      for (const request of queue) {
        if (!state.isStopped && request.canWaitLong()) enqueue(host, vaultId, request)
        else request.settle(false)
      }
    }
  }

  return {
    async run(request, send) {
      if (state.isStopped) return null
      const host = getHost(request.url)
      if (!(await acquireSlot(host, request))) return null
      host.movedAt = performance.now()
      try {
        return await send()
      } finally {
        host.movedAt = performance.now()
        passSlot(request.url, host)
      }
    },
    stop() {
      state.isStopped = true
      for (const host of state.hosts.values()) {
        clearTimeout(host.timer)
        refuseIfSlow(host)
      }
    },
  }
}

function enqueue({ queues }: Host, vaultId: string, request: QueuedRequest): void {
  const queue = queues.get(vaultId)
  if (queue) queue.push(request)
  else queues.set(vaultId, [request])
}

/** Removes and returns the oldest request of the first vault, and moves that vault behind the others. */
function dequeue({ queues }: Host): QueuedRequest | undefined {
  for (const [vaultId, queue] of queues) {
    const next = queue.shift()
    queues.delete(vaultId)
    if (queue.length > 0) queues.set(vaultId, queue)
    return next
  }
  return undefined
}
