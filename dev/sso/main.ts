/** Command: `npm run demo:sso`. Runs an instance whose operators sign in at a local OpenID provider. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findInstance, type Instance } from '../instance.ts'
import { freePort } from '../launcher/ports.ts'
import { loadSecrets } from '../launcher/secrets.ts'
import { serviceEnvironment } from '../launcher/services.ts'
import { readSettings } from '../settings.ts'
import { type Person, startProvider } from './provider.ts'

const PROVIDER_PORT = 4200

const PEOPLE: readonly Person[] = [
  { email: 'administrator@example.com', groups: ['administrators'] },
  { email: 'reviewer@example.com', groups: ['reviewers'] },
  { email: 'visitor@example.com', groups: [] },
]
const GROUPS = {
  administrators: ['operator_review', 'operator_admin'],
  reviewers: ['operator_review'],
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

const settings = readSettings(process.env)
const port = await freePort(settings.PORT)
const provider = await startProvider({
  gatehouse: `http://localhost:${port}`,
  people: new Map(PEOPLE.map((person) => [person.email, person])),
  port: await freePort(PROVIDER_PORT),
})
const launcher = spawn(process.execPath, [pathOf('../launcher/main.ts')], {
  env: { ...process.env, ...provider.env, PORT: String(port), PUBLIC_URL: `http://localhost:${port}` },
  stdio: 'inherit',
})
// Ctrl-C also reaches the launcher, which stops its services first.
process.on('SIGINT', () => {})
const ended = once(launcher, 'exit').then(() => null)

/** Waits until the instance is ready. Returns null if the launcher ends first. */
async function untilReady(): Promise<Instance | null> {
  while (launcher.exitCode === null) {
    try {
      const instance = findInstance(settings.DATA_DIR, '')
      if (instance.base_url.includes(`:${port}/`)) return instance
    } catch {
      // The instance is still starting.
    }
    await sleep(200)
  }
  return null
}

const instance = await untilReady()
if (instance) {
  const addresses = { port, databaseUrl: instance.database_url, temporalAddress: instance.temporal_address }
  const env = serviceEnvironment(settings, loadSecrets(settings), addresses)
  for (const [group, roles] of Object.entries(GROUPS))
    await promisify(execFile)(
      process.execPath,
      [
        pathOf('../../src/cli/main.ts'),
        'map-group',
        '--group',
        group,
        ...roles.flatMap((role) => ['--role', role]),
      ],
      { env },
    )
  console.log(`
Single sign-on is on. Open ${instance.console_url} and sign in at ${provider.issuer} as:
${PEOPLE.map(({ email, groups }) => `  ${email.padEnd(28)}${groups.join(', ') || 'no group, so access is refused'}`).join('\n')}
Settings > Single sign-on shows the addresses of the provider. Sign out to end both sessions.
Press Ctrl-C to stop.`)
}
await ended
await provider.stop()
process.exit(launcher.exitCode ?? 0)
