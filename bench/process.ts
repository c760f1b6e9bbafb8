/** Starts the child processes of a benchmark, and reads the processor time of processes. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Starts a script in this folder. Resolves with the child and its first message. */
export async function startScript<T>(name: string, ...args: string[]): Promise<[ChildProcess, T]> {
  const child = fork(new URL(name, import.meta.url), args)
  const [message] = await once(child, 'message')
  return [child, message as T]
}

/** Sends a message and returns the response. */
export async function ask<T>(child: ChildProcess, message: object | string): Promise<T> {
  const answer = once(child, 'message')
  child.send(message)
  return (await answer)[0] as T
}

/** Returns the command, environment and folder with which a service was started (Linux). */
export function recipeOf(pid: number) {
  const wordsOf = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean)
  const [command = '', ...args] = wordsOf('cmdline')
  const env = Object.fromEntries(wordsOf('environ').map((each) => each.split(/=(.*)/s)))
  // These variables belong to the original process.
  for (const own of ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'METRICS_PORT']) delete env[own]
  return { command, args, env, cwd: readlinkSync(`/proc/${pid}/cwd`) }
}

/** Starts a service. Resolves when it reports that it is ready. */
export async function startService({ command, args, env, cwd }: ReturnType<typeof recipeOf>) {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.at(-1)} ended with ${code}`)
  })
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Returns the processor seconds of the process and its descendants, including exited ones (Linux). */
export function cpuSeconds(pid: number): number {
  const own = statOf(pid)
  return own ? own.cpu + childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), 0) : 0
}

/** Returns the resident kilobytes of the process and its descendants (Linux). */
export function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) + childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), 0)
}

function statOf(pid: number): { parent: number; cpu: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
    return { parent: fields[1] ?? 0, cpu: (utime + stime + cutime + cstime) / TICKS_PER_SECOND }
  } catch {
    return null
  }
}

/** Returns the first process with this name (Linux). */
export function pidOf(name: string): number {
  const isNamed = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name
    } catch {
      return false
    }
  }
  const pid = readdirSync('/proc').find((each) => /^\d+$/.test(each) && isNamed(each))
  if (pid === undefined) throw new Error(`No process is named ${name}. Start it first.`)
  return Number(pid)
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => statOf(each)?.parent === pid)
