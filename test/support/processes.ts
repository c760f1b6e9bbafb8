/** Processes as they are deployed, with everything they write to their outputs kept. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

export type Spawned = Awaited<ReturnType<typeof spawnProcess>>

/** What Node.js is started with to run a script: ours as it is deployed, those of tests as they are written. */
export const scriptArgs = (script: string): string[] =>
  script.startsWith('src/')
    ? [join(inject('compiled'), script.replace(/\.ts$/, '.js'))]
    : ['--import', 'tsx', script]

/** Starts a script of ours with this environment alone. */
export function spawnProcess(script: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [...scriptArgs(script), ...args], {
    env: { PATH: process.env.PATH, ...env },
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
    /** The exit code; null when a signal ended it. */
    ended,
    /** Until it says `ready`; when it ends instead, this throws with what it wrote. */
    ready: () =>
      Promise.race([
        once(child, 'message'),
        ended.then(() => Promise.reject(new Error(`it ended:\n${output}`))),
      ]),
    /** Until it has written this. */
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
