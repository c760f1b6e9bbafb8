/** Keeps one service running: whenever its process ends unasked, it is started again. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './process.ts'

export type Service<T extends Child> = {
  name: string
  /** Resolves when the process is ready to work. */
  start(signal: AbortSignal): Promise<T>
  onUp(pid: number): void
  say(line: string): void
}

export type Supervised = { stop(): Promise<void> }

/** A process that ends this soon after it was ready was not well. */
const HEALTHY_AFTER_MS = 5_000
/** Short enough that a process that is merely killed often is back within seconds. */
const MAX_PAUSE_MS = 250
/** Between starts that fail by themselves. */
const MAX_PAUSE_IF_FAILING_MS = 2_000

/** The first start is not repeated: what fails then is for the user to see. */
export async function supervise<T extends Child>(
  service: Service<T>,
  signal: AbortSignal,
): Promise<Supervised & { first: T }> {
  const stopping = new AbortController()
  const first = await service.start(signal)
  let child = first
  service.onUp(child.pid)
  const watching = watch()

  async function watch(): Promise<void> {
    let troubles = 0
    let upSince = performance.now()
    for (;;) {
      const how = await child.exited
      if (stopping.signal.aborted) return
      troubles = performance.now() - upSince < HEALTHY_AFTER_MS ? troubles + 1 : 0
      service.say(`${service.name} stopped (${how}); starting it again.${words(how, child)}`)
      const next = await restart(troubles)
      if (next === undefined) return
      child = next
      if (stopping.signal.aborted) return child.stop()
      upSince = performance.now()
      service.onUp(child.pid)
      service.say(`${service.name} is back (process ${child.pid}).`)
    }
  }

  /** Tries until it is up; undefined when it shall stop. */
  async function restart(troubles: number): Promise<T | undefined> {
    let problem = ''
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const longest = failures > 0 ? MAX_PAUSE_IF_FAILING_MS : MAX_PAUSE_MS
      if (troubles + failures > 1) await pause(Math.min(125 * 2 ** (troubles + failures), longest))
      try {
        return await service.start(stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) break
        const { message } = error as Error
        service.say(
          `${service.name} does not start; trying again.${message === problem ? '' : ` ${message}`}`,
        )
        problem = message
      }
    }
    return undefined
  }

  // Cut short when stopping: the caller looks at the signal anyway.
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => {})

  return {
    first,
    stop: async () => {
      stopping.abort()
      await child.stop()
      await watching
    },
  }
}

/** Killed from outside, its last words explain nothing. */
function words(how: string, child: Child): string {
  return how.startsWith('signal') || child.tail() === '' ? '' : ` It last said:\n${child.tail()}`
}
