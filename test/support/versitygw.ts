/** Builds, starts and stops versitygw, an S3 server that stores each object as a file in a folder. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findGo, findGoPrograms } from '../../dev/go-build.ts'
import { freePort } from '../../dev/launcher/ports.ts'
import { CACHE_DIR } from '../../dev/settings.ts'
import { eventually } from './instance.ts'

const MODULE_DIR = fileURLToPath(new URL('versitygw', import.meta.url))
const VERSION = /versitygw v(\S+)/.exec(readFileSync(join(MODULE_DIR, 'go.mod'), 'utf8'))?.[1] ?? ''
const NAME = `versitygw-${VERSION}`

export const missingVersitygw = async (): Promise<string | null> =>
  existsSync(join(CACHE_DIR, NAME)) || (await findGo()) ? null : 'Go is not installed'

export const findVersitygw = async (): Promise<string> =>
  join(
    await findGoPrograms(
      {
        what: 'versitygw',
        moduleDir: MODULE_DIR,
        packages: { versitygw: 'github.com/versity/versitygw/cmd/versitygw' },
      },
      NAME,
      (line) => console.log(line),
    ),
    'versitygw',
  )

export type Versitygw = Awaited<ReturnType<typeof startVersitygw>>

export const BUCKET = 'gatehouse-files'
export const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'gatehouse',
  AWS_SECRET_ACCESS_KEY: 'not-a-secret-outside-tests',
}

/** Starts a server whose bucket is a folder in `folder`. */
export async function startVersitygw(folder: string) {
  const program = await findVersitygw()
  const port = await freePort()
  mkdirSync(join(folder, BUCKET), { recursive: true })
  const run = () =>
    spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
      env: {
        PATH: process.env.PATH,
        ROOT_ACCESS_KEY: CREDENTIALS.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_KEY: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const responds = () => eventually(() => fetch(`http://127.0.0.1:${port}`))
  let child = run()
  await responds()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    /** The folder of the bucket. */
    folder: join(folder, BUCKET),
    /** Returns the settings of a process that stores files below this prefix. */
    env: (prefix: string) => ({
      ...CREDENTIALS,
      BLOB_URL: `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${port}&path_style=true`,
    }),
    kill,
    signal: (sent: NodeJS.Signals) => child.kill(sent),
    /** Starts the server again at the same address. */
    async restart(): Promise<void> {
      child = run()
      await responds()
    },
    stop: kill,
  }
}
