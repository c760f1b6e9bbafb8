/** Records the processes that a launcher starts. If the launcher is killed, the next one stops them. */
import { join } from 'node:path'
import { readJson, writeJson } from '../files.ts'
import { describeProcess, isRunning, type ProcessRef, terminate } from './identity.ts'

/** The order in which services stop. Each stops before the services that it needs. */
export const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'] as const
export type ServiceName = (typeof STOP_ORDER)[number]
type Started = Partial<Record<ServiceName, ProcessRef>>

const STOP_SIGNAL = { api: 'SIGTERM', worker: 'SIGTERM', temporal: 'SIGTERM', postgres: 'SIGINT' } as const

const processesFile = (dataDir: string): string => join(dataDir, 'processes.json')

/** Stops a process only if its PID and start time match the record. */
export async function stopLeftovers(dataDir: string, say: (line: string) => void): Promise<void> {
  const started = readJson<Started>(processesFile(dataDir)) ?? {}
  for (const name of STOP_ORDER) {
    const left = started[name]
    if (!left || !isRunning(left)) continue
    say(`Stopping the ${name} process ${left.pid} of an earlier start ...`)
    await terminate(left, STOP_SIGNAL[name], 10_000)
  }
}

/** Returns a function that records a process as soon as it exists. */
export function createProcessRecord(dataDir: string): (name: ServiceName, pid: number) => void {
  const started: Started = {}
  return (name, pid) => {
    started[name] = describeProcess(pid)
    writeJson(processesFile(dataDir), started)
  }
}
