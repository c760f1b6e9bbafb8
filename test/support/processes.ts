/** Starts processes as a deployment does, and keeps their complete output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

export type Spawned = Awaited<ReturnType<typeof spawnProcess>>

/** Returns the arguments that run a script with Node.js: compiled for the product, and source for tests. */
export const scriptArgs = (script: string): string[] =>
  script.startsWith('src/') ? [join(inject('compiled'), script.replace(/\.ts$/, '.js'))] : [script]

/** Starts a script with this environment only. */
export function spawnProcess(script: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [...scriptArgs(script), ...args], {
    // Caches compiled modules, so that further processes start sooner.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(inject('compiled'), 'cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    output: () => output,
    /** The exit code, or null if a signal ended the process. */
    ended,
    /** Waits until the process is ready. Throws its output if it ends first. */
    ready: () =>
      Promise.race([
        once(child, 'message'),
        ended.then(() => Promise.reject(new Error(`it ended:\n${output}`))),
      ]),
    /** Waits until the output contains this text. */
    async wrote(text: string): Promise<void> {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended without writing ${text}:\n${output}`)
        await sleep(10)
      }
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended
    },
  }
}
