/** Tests files in the bucket of a real S3 server that is killed, stopped and full, and the move of files to it. */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { checkFiles } from '../../src/cli/file-check.ts'
import { openByteStores } from '../../src/storage/blob-store.ts'
import { describeUnless } from '../support/available.ts'
import { blobsIn } from '../support/checks.ts'
import { openConsole } from '../support/console.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { missingVersitygw, startVersitygw, type Versitygw } from '../support/versitygw.ts'

const ATTRIBUTE = { attribute: 'legal_structures' }

/** Returns a PDF of this size with random content, which no server can compress. */
const pdf = (bytes: number) =>
  Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(bytes), Buffer.from('%%EOF\n')])
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

interface Uploaded {
  readonly id: string
  readonly sha256: string
}

/** Uploads files to an application, several at a time, until `stop`. */
function keepUploading({ api }: OwnInstance, kyb: string) {
  const acknowledged: Uploaded[] = []
  const failures: { status: number; retryAfter: string | null; ms: number; body: unknown }[] = []
  let isStopped = false
  const sizes = [20_000, 900_000, 6_000_000]
  const uploading = sizes.map(async (size) => {
    while (!isStopped) {
      const content = pdf(size)
      const from = performance.now()
      const { status, headers, body } = await api.upload(kyb, ATTRIBUTE, new Blob([content]))
      const ms = performance.now() - from
      if (status === 201) acknowledged.push({ id: body.id, sha256: hashOf(content) })
      else failures.push({ status, retryAfter: headers.get('Retry-After'), ms, body })
      await sleep(50)
    }
  })
  return {
    acknowledged,
    failures,
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all(uploading)
    },
  }
}

describeUnless(await missingVersitygw(), 'a bucket of versitygw', () => {
  let folder: string
  let isMounted = false
  let server: Versitygw
  let gatehouse: OwnInstance
  let kyb: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-bucket-'))
    // A file system of its own can be filled. Only root can mount it.
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', folder]).status === 0
    server = await startVersitygw(folder)
    gatehouse = await startInstance({ env: server.env('test') })
    await gatehouse.startWorker()
    kyb = await gatehouse.api.createKyb()
  }, 600_000)
  afterAll(async () => {
    await gatehouse?.stop()
    await server?.stop()
    if (isMounted) spawnSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  })

  const operator = () => gatehouse.operator()
  async function expectAllReadable(uploads: readonly Uploaded[]): Promise<void> {
    const reader = await operator()
    for (const { id, sha256 } of uploads) {
      const { status, body } = await reader.get(`/files/${id}?original=true`)
      expect([id, status, hashOf(body)]).toEqual([id, 200, sha256])
    }
  }
  /** Lets housekeeping delete the rest of failed uploads, as an hour later. */
  async function expectNoRest(): Promise<void> {
    await gatehouse.db.orm.update(files).set({ createdAt: sql`created_at - interval '2 hours'` })
    const lines: string[] = []
    await eventually(async () => {
      const { db, blobs } = gatehouse
      const unattached = await db.orm.$count(files, sql`state <> 'attached'`)
      expect(unattached).toBe(0)
      expect(await checkFiles({ db, blobs, say: (line) => lines.push(line) }, { repair: false })).toBe(true)
    }, 90_000)
  }

  /** Uploads while `interrupt` runs. Checks each response, and that each acknowledged file is stored. */
  async function interruptUploads(interrupt: () => Promise<void>) {
    const uploads = keepUploading(gatehouse, kyb)
    await eventually(() => expect(uploads.acknowledged.length).toBeGreaterThan(3))
    await interrupt()
    const before = uploads.acknowledged.length
    await eventually(() => expect(uploads.acknowledged.length).toBeGreaterThan(before + 3))
    await uploads.stop()
    for (const { status, retryAfter, ms } of uploads.failures) {
      expect([status, retryAfter]).toEqual([503, '1'])
      expect(ms).toBeLessThan(5_000)
    }
    expect(uploads.failures.length).toBeGreaterThan(0)
    await expectAllReadable(uploads.acknowledged)
    await expectNoRest()
  }
  const expectOthersWork = async () => {
    expect((await gatehouse.api.get(`/kyb/${kyb}`)).status).toBe(200)
    expect((await fetch(`${gatehouse.baseUrl}/readyz`)).status).toBe(200)
  }

  test('keeps every acknowledged file if the server is killed', () =>
    interruptUploads(async () => {
      await server.kill()
      await sleep(3_000)
      await expectOthersWork()
      await server.restart()
    }))

  test('keeps every acknowledged file if the server hangs', () =>
    interruptUploads(async () => {
      server.signal('SIGSTOP')
      await sleep(9_000)
      await expectOthersWork()
      server.signal('SIGCONT')
    }))

  test('keeps every acknowledged file if the disk of the server is full', async (context) => {
    if (!isMounted) return context.skip('only root can mount a small disk')
    await interruptUploads(async () => {
      const filler = join(folder, 'filler')
      const full = () => writeFileSync(filler, Buffer.alloc(64_000_000), { flag: 'a' })
      expect(() => {
        for (;;) full()
      }).toThrow('ENOSPC')
      await sleep(5_000)
      await expectOthersWork()
      rmSync(filler)
    })
  })

  test('requests for files return 503 while the server hangs, and succeed afterwards', async () => {
    const { body } = await gatehouse.api.upload(kyb, ATTRIBUTE)
    const reader = await operator()
    const { operator_email: email, operator_password: password } = gatehouse.credentials
    const page = await openConsole(gatehouse.baseUrl, { email, password })
    server.signal('SIGSTOP')
    const from = performance.now()
    const answers = await Promise.all(Array.from({ length: 6 }, () => reader.get(`/files/${body.id}`)))
    const ms = performance.now() - from
    const whileAway = await page.text('/console/settings/vaults')
    server.signal('SIGCONT')
    expect(whileAway).toContain('Stored files cannot be accessed')
    for (const { status, headers } of answers)
      expect([status, headers.get('Retry-After')]).toEqual([503, '1'])
    expect(ms).toBeLessThan(5_000)
    await eventually(async () => expect((await reader.get(`/files/${body.id}`)).status).toBe(200))
    expect(await page.text('/console/settings/vaults')).not.toContain('Stored files cannot be accessed')
  })

  test('receives only encrypted bytes, and no names', async () => {
    const { body } = await gatehouse.api.upload(kyb, ATTRIBUTE, new Blob([pdf(100)]), 'a secret name.pdf')
    const stored = blobsIn(server.folder).filter((name) => name.endsWith(body.id))
    expect(stored).toEqual([`test/${body.id.slice(-2)}/${body.id}`])
    expect(spawnSync('grep', ['-rlE', '%PDF|secret name', server.folder]).stdout.toString()).toBe('')
  })

  test('takes large streams part by part', async () => {
    const [store] = openByteStores(gatehouse.config)
    if (!store) throw new Error('one store')
    const chunk = randomBytes(65_536)
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    function* source() {
      for (let i = 0; i < 1_600; i += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
        yield chunk
      }
    }
    const id = randomUUID()
    await store.put(id, source())
    await store.remove(id)
    expect(most - before).toBeLessThan(50_000_000)
  })
})
