/**
 * Installs Gatehouse on machines of Debian 14 with the commands of the guides, backs it up, and restores it onto an empty
 * machine.
 */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeUnless } from '../support/available.ts'
import { blocksIn, filled } from '../support/guide.ts'
import {
  BUCKET_SETTINGS,
  install,
  newEnvironment,
  newSettings,
  prepare,
  startBucket,
} from '../support/installation.ts'
import { type Machine, missingMachines, startMachine } from '../support/machine.ts'
import { missingVersitygw } from '../support/versitygw.ts'

const PAGE = 'backups.md'
const API = 'http://127.0.0.1:3000/v1'
const PDF = '/root/a.pdf'

const paste = async (machine: Machine, heading: string, values: Record<string, string> = {}) =>
  machine.run(filled(blocksIn(PAGE, heading)[0]?.code ?? 'false', values))

const CREATED = ['identification_created', 'account_created']

const newest = async (machine: Machine) => (await machine.run('ls /var/backups/gatehouse | tail -n 1')).trim()

const STORES = [
  { name: 'a folder', isBucket: false, more: {} },
  {
    name: 'a bucket',
    isBucket: true,
    more: BUCKET_SETTINGS,
  },
]

const missing = missingMachines() ?? (await missingVersitygw())
describeUnless(missing, 'a machine of Debian 14', () => {
  describe.concurrent.each(STORES)('with files in $name', ({ isBucket, more }) => {
    const settings = newSettings()
    const environment = newEnvironment(settings, more)
    const bytes = readFileSync(new URL('../support/guide.ts', import.meta.url))
    const pdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), bytes, Buffer.from('\n%%EOF\n')])
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-copy-'))
    let machine: Machine
    let key: string
    let kyb: string
    let files: string[]
    /** A place in the event feed that the backup contains, and a later one. */
    let read: string
    let lost: string

    /** Sends a request, and repeats it after a response with status 503, as all clients must. */
    const call = async (path: string, more = '') =>
      JSON.parse(
        await machine.run(`curl -sS --retry 5 -H 'Authorization: Bearer ${key}' ${more} ${API}${path}`),
      )
    /** Sends a change, which has an effect once if it is repeated. */
    const change = async (path: string, body: string) => {
      const response = await call(path, `-H 'Idempotency-Key: ${randomUUID()}' ${body}`)
      expect(response).not.toHaveProperty('errors')
      return response
    }
    const upload = async (): Promise<string> =>
      (await change(`/kyb/upload_file/${kyb}`, `-F attribute=legal_structures -F file=@${PDF}`)).id
    const create = (id: string) =>
      change('/kyb', `-H 'Content-Type: application/json' -d '{"external_id":"${id}"}'`)
    /** Expects that a reader of the feed misses no event of the restored database, and learns of lost events. */
    async function expectFeed(id: string): Promise<void> {
      expect((await call(`/events?after=${read}`)).data).toEqual([])
      expect((await call(`/events?after=${lost}`)).errors).toMatchObject([{ code: 'cursor_expired' }])
      await create(id)
      const page = await call(`/events?after=${read}`)
      expect(page.data.map(({ event }: { event: string }) => event)).toEqual(CREATED)
      expect((await call(`/events?after=${lost}`)).errors).toMatchObject([{ code: 'cursor_expired' }])
    }
    const application = async () => JSON.stringify(await call(`/kyb/${kyb}`))

    beforeAll(async () => {
      machine = await startMachine()
      if (isBucket) await startBucket(machine)
      await machine.write(PDF, pdf)
      await install(machine, settings, environment)
      const vault = (await machine.run('gatehouse create-vault --name Example')).match(/[0-9a-f-]{36}/)?.[0]
      key = (await machine.run(`gatehouse create-api-key --vault ${vault}`)).match(/\S{40,}/)?.[0] ?? ''
      kyb = (await create('one')).data.id
      files = [await upload(), await upload()]
    })
    afterAll(async () => {
      await machine?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const mode = (path: string) => machine.run(`stat -c '%U %a' ${path}`)

    test.sequential('is backed up as another user, without the owner’s password in a process of the API’s user', async () => {
      read = (await call('/events')).cursor
      await machine.run('systemctl start gatehouse-backup')
      expect(await mode(`/var/backups/gatehouse/${await newest(machine)}`)).toBe('gatehouse-backup 700')
      const { exitCode } = await machine.tryToRun('as gatehouse ls /var/backups/gatehouse')
      expect(exitCode).toBe(2)
      const environ = (name: string) =>
        machine.run(`as() { echo "$1 \${PGPASSWORD:-none}"; }; ${name} migrate`)
      expect(await environ('gatehouse')).toBe('gatehouse none')
      expect(await environ('owner')).toBe(`gatehouse-backup ${settings.owner}`)
    })

    test.sequential('passes the restore check, which leaves no copy of the data', async () => {
      const [checking] = blocksIn(PAGE, 'Check that backups can be restored')
      expect(await machine.run(checking?.code ?? 'false')).toMatch(
        /Restored the backup of \S+ with 2 files in \d+ s\./,
      )
      const tables = "SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'drizzle')"
      expect(
        await machine.run(`cd / && sudo -u postgres psql -qAt -d gatehouse_restore_check -c "${tables}"`),
      ).toBe('0')
    })

    test.sequential('is restored over damaged data on the same machine', async () => {
      const later = await upload()
      await create('lost')
      lost = (await call('/events')).cursor
      await machine.run(`cd / && sudo -u postgres psql -d gatehouse -c 'DROP TABLE files CASCADE'`)
      await paste(machine, 'Restore a backup', { 'the backup': await newest(machine) })
      for (const id of files) expect(await application()).toContain(id)
      expect(await application()).not.toContain(later)
      const [comparing] = blocksIn(PAGE, 'Repeat lost changes')
      expect((await machine.tryToRun(comparing?.code ?? '')).stdout).toContain(`${later} has no row`)
      await expectFeed('after the restore')
    })

    test.sequential('is restored onto an empty machine', async () => {
      const backup = await newest(machine)
      const copy = join(folder, backup)
      cpSync(machine.path(`/var/backups/gatehouse/${backup}`), copy, { recursive: true })
      await machine.stop()
      machine = await startMachine()
      if (isBucket) await startBucket(machine)
      const others = newSettings()
      await prepare(machine, others, environment.replace(settings.service, others.service))
      cpSync(copy, machine.path(`/srv/copy/${backup}`), { recursive: true })
      await paste(machine, 'Restore onto a new machine', { 'your copy': `/srv/copy/${backup}` })
      await paste(machine, 'Restore a backup', { 'the backup': backup })
      for (const id of files) expect(await application()).toContain(id)
      expect(await machine.run('gatehouse check-files')).toBe('The stored files match the database.')
      await expectFeed('on a new machine')
      await machine.run('systemctl start gatehouse-backup gatehouse-restore-check')
    })
  })
})
