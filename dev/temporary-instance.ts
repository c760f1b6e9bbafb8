/** Starts instances as `npm start` does, on free ports and in a temporary folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Instance } from './instance.ts'
import { freePort } from './launcher/ports.ts'

const LAUNCHER = fileURLToPath(new URL('launcher/main.ts', import.meta.url))

/** Creates a folder whose instance can be started several times. */
export async function createInstanceFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-instance-'))
  const ports = await Promise.all(Array.from({ length: 4 }, freePort))
  const names = ['PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'DATABASE_PORT']
  const env = {
    ...process.env,
    DATA_DIR: folder,
    ...Object.fromEntries(names.map((name, i) => [name, String(ports[i])])),
  }
  return {
    folder,
    async start(): Promise<{ instance: Instance; stop: () => Promise<void> }> {
      const child = spawn(process.execPath, [LAUNCHER], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      // Stops the instance even if the caller fails.
      process.once('exit', () => child.kill('SIGINT'))
      const file = join(folder, 'instance.json')
      while (!existsSync(file)) {
        if (child.exitCode !== null) throw new Error('the instance did not start')
        await sleep(50)
      }
      return {
        instance: JSON.parse(readFileSync(file, 'utf8')),
        async stop() {
          child.kill('SIGINT')
          await once(child, 'exit')
        },
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function startTemporaryInstance(): Promise<{ instance: Instance; stop: () => Promise<void> }> {
  const { start, remove } = await createInstanceFolder()
  const { instance, stop } = await start()
  return { instance, stop: () => stop().then(remove) }
}
