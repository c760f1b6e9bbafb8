/** An instance started by `npm start`, with its own folder and ports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Instance as InstanceFile } from '../../dev/instance.ts'
import { freePort } from '../../dev/launcher/ports.ts'
import { eventually } from './instance.ts'

export type Launched = Awaited<ReturnType<typeof prepareLaunch>>

/** Prepares a launch with additional settings. */
export async function prepareLaunch(more: Record<string, string> = {}) {
  // These characters have a special meaning in URLs.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse launcher #1 100%41? ö-'))
  const file = join(folder, 'instance.json')
  const names = ['PORT', 'DATABASE_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT']
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]))
  const env = { ...process.env, ...Object.fromEntries(ports), DATA_DIR: folder, ...more }
  let launcher: ChildProcess

  const read = (): InstanceFile => JSON.parse(readFileSync(file, 'utf8'))
  return {
    env,
    file,
    /** Returns the current content of `instance.json`. */
    read,
    async launch(): Promise<InstanceFile> {
      let output = ''
      launcher = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [launcher.stdout, launcher.stderr])
        stream?.on('data', (text) => {
          output += text
        })
      return eventually(() => {
        if (launcher.exitCode !== null) throw new Error(`the launcher ended:\n${output}`)
        return read()
      }, 280_000)
    },
    /** Kills a process of the instance, and waits for its replacement. */
    async kill(name: keyof InstanceFile['pids']): Promise<void> {
      const pid = read().pids[name]
      process.kill(pid as number, 'SIGKILL')
      await eventually(() => {
        if (read().pids[name] === pid) throw new Error(`${name} has not been restarted`)
      })
    },
    /** Stops the launcher like Ctrl-C. Returns the exit code. */
    async interrupt(): Promise<number | null> {
      launcher.kill('SIGINT')
      if (launcher.exitCode === null) await once(launcher, 'exit')
      return launcher.exitCode
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
