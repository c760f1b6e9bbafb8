/** Starts, records, logs and supervises an instance's services, and stops them in order. */
import { createProcessRecord, type ServiceName, STOP_ORDER } from './leftovers.ts'
import { logTo, warningIn } from './logs.ts'
import type { Child } from './process.ts'
import { type Supervised, supervise } from './supervisor.ts'

export type Hooks = { log: (line: string) => void; onSpawn: (pid: number) => void; signal: AbortSignal }

export const LABELS: Record<ServiceName, string> = {
  api: 'The API',
  worker: 'The worker',
  temporal: 'Temporal',
  postgres: 'PostgreSQL',
}

export type Fleet = {
  /** Starts a service and keeps it running. Returns its first process. */
  keep<T extends Child>(name: ServiceName, start: (hooks: Hooks) => Promise<T>): Promise<T>
  /** Starts services concurrently. If one fails, stops the others. */
  keepAll(starts: Partial<Record<ServiceName, (hooks: Hooks) => Promise<Child>>>): Promise<void>
  pids: Record<ServiceName, number | null>
  /** Called for each new process of a service. */
  onChange: () => void
  stop(): Promise<void>
}

export function createFleet(dataDir: string, say: (line: string) => void, stopped: AbortSignal): Fleet {
  const running = new Map<ServiceName, Supervised>()
  const record = createProcessRecord(dataDir)
  const fleet: Fleet = {
    pids: { api: null, worker: null, temporal: null, postgres: null },
    onChange: () => {},

    keep: async (name, start) => {
      const write = logTo(dataDir, name)
      let shown: string | undefined
      const log = (line: string) => {
        write(line)
        const warning = warningIn(line)
        // Prints a repeated message once, for example if ten connections are lost at the same time.
        if (warning !== undefined && warning !== shown) say(`${LABELS[name]}: ${warning}`)
        shown = warning
      }
      const supervised = await supervise(
        {
          name: LABELS[name],
          start: (signal) => start({ log, onSpawn: (pid) => record(name, pid), signal }),
          onUp: (pid) => {
            fleet.pids[name] = pid
            fleet.onChange()
          },
          say,
        },
        stopped,
      )
      running.set(name, supervised)
      return supervised.first
    },

    keepAll: async (starts) => {
      const names = STOP_ORDER.filter((name) => starts[name])
      const keeping = names.map((name) => starts[name] && fleet.keep(name, starts[name]))
      const failed = (await Promise.allSettled(keeping)).find((each) => each.status === 'rejected')
      if (!failed) return
      await stop(names)
      throw failed.reason
    },

    stop: () => stop(STOP_ORDER),
  }

  async function stop(names: readonly ServiceName[]): Promise<void> {
    for (const name of names) {
      if (!running.has(name)) continue
      await running.get(name)?.stop()
      running.delete(name)
      say(`  ${LABELS[name]} has stopped.`)
    }
  }
  return fleet
}
