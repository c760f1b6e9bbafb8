/** Runs a container's command as a plain process with exactly its environment, command and health check. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Container {
  command: string[]
  healthcheck: string[]
  cwd: string
  env: Record<string, string>
}

export interface Ended {
  code: number | null
  /** The signal that ended the process, or null. */
  signal: string | null
  output: string
}

function start([file = '', ...args]: string[], { cwd, env }: Pick<Container, 'cwd' | 'env'>) {
  const child = spawn(file, args, {
    cwd,
    // Inherits only PATH from this process.
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, output }))
  return { child, ended, output: () => output }
}

export const run = (container: Container): Promise<Ended> => start(container.command, container).ended

export const check = async (container: Container): Promise<boolean> =>
  (await start(container.healthcheck, container).ended).code === 0

/** Starts the container and returns when its health check passes. */
export async function up(container: Container, running: Set<ChildProcess>) {
  const { child, ended, output } = start(container.command, container)
  running.add(child)
  while (!(await check(container))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${container.command.join(' ')} stopped by itself:\n${output()}`)
    }
    await sleep(200)
  }
  return {
    child,
    ended,
    output,
    /** Stops the process as `docker stop` does. */
    async stop(): Promise<Ended & { afterMs: number }> {
      const from = Date.now()
      child.kill('SIGTERM')
      const end = await ended
      running.delete(child)
      return { ...end, afterMs: Date.now() - from }
    },
  }
}
