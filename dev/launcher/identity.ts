/** Distinguishes a process from a later one with the same PID, by its start time. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type ProcessRef = { pid: number; started: string | null }

export const describeProcess = (pid: number): ProcessRef => ({ pid, started: startOf(pid) })

/** Returns true only for the described process. Without a start time, the process cannot be identified. */
export function isRunning({ pid, started }: ProcessRef): boolean {
  return started !== null && startOf(pid) === started
}

/** Returns the arguments of a process, or an empty string if it has exited. */
export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command=') ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Waits until a process that is not a child has exited. Returns false if it does not exit in time. */
export async function waitUntilGone(process: ProcessRef, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds
  while (isRunning(process)) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return true
}

/** Asks a process to stop, and kills it if it does not. */
export async function terminate(target: ProcessRef, signal: NodeJS.Signals, milliseconds: number) {
  for (const next of [signal, 'SIGKILL'] as const) {
    if (!isRunning(target)) return
    try {
      process.kill(target.pid, next)
    } catch {
      return // exited in the meantime
    }
    if (await waitUntilGone(target, milliseconds)) return
  }
  throw new Error(`Process ${target.pid} of an earlier start does not stop. Stop it manually.`)
}

function startOf(pid: number): string | null {
  if (process.platform !== 'linux') {
    const [state = 'Z', ...started] = (ps(pid, 'state=,lstart=') ?? 'Z').trim().split(/\s+/)
    return state.startsWith('Z') ? null : started.join(' ')
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses can contain any character. The fields after the name start with the state, which is the
    // third field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' ? null : `${boot} ${fields[19]}`
  } catch {
    return null
  }
}

function ps(pid: number, columns: string): string | null {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return null
  }
}
