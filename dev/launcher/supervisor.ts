/** Restarts a service whenever its process exits unexpectedly. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './process.ts'

export type Service<T extends Child> = {
  name: string
  /** Resolves when the process is ready. */
  start(signal: AbortSignal): Promise<T>
  onUp(pid: number): void
  say(line: string): void
}

export type Supervised = { stop(): Promise<void> }

/** A process that exits within this time after it became ready counts as failing. */
const HEALTHY_AFTER_MS = 5_000
/** Short, so that a killed process is running again within seconds. */
const MAX_PAUSE_MS = 250
/** The pause between failing starts. */
const MAX_PAUSE_IF_FAILING_MS = 2_000

/** Starts a service and keeps it running. Does not retry the first start, so that the user sees its failure. */
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
      service.say(`${service.name} stopped (${how}). Restarting it.${words(how, child)}`)
      const next = await restart(troubles)
      if (next === undefined) return
      child = next
      if (stopping.signal.aborted) return child.stop()
      upSince = performance.now()
      service.onUp(child.pid)
      service.say(`${service.name} is running again (process ${child.pid}).`)
    }
  }

  /** Retries until the service runs. Returns undefined if the supervisor is asked to stop. */
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
        service.say(`${service.name} does not start. Retrying.${message === problem ? '' : ` ${message}`}`)
        problem = message
      }
    }
    return undefined
  }

  // Ends early when stopping. The caller checks the signal.
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

/** Returns the last output of a process, unless it was killed. The output of a killed process explains nothing. */
function words(how: string, child: Child): string {
  return how.startsWith('signal') || child.tail() === '' ? '' : ` Its last output:\n${child.tail()}`
}
