/** Tests that a page of the largest applications is streamed and takes little memory. */
import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { v7 as newId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { files } from '../../drizzle/schema.ts'
import { getKybApplicationForUpdate } from '../../src/db/cases/kyb-application.ts'
import { transaction } from '../../src/db/connection/database.ts'
import { fileContext } from '../../src/db/files/file.ts'
import { saveKybApplication } from '../../src/db/save/kyb-application.ts'
import type { Fields, FieldType } from '../../src/domain/fields/field.ts'
import { BENEFICIARY_FIELDS } from '../../src/domain/kyb/fields/beneficiaries.ts'
import {
  type Beneficiary,
  KYB_FIELDS,
  type KybContent,
  MAX_BENEFICIARIES,
} from '../../src/domain/kyb/fields.ts'
import { startInstance } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

const APPLICATIONS = process.env.CHAOS === 'full' ? 100 : 10
const READERS = 4
/** The limit from docs/operating.md. Without streaming, each reader would need at least this much. */
const MOST_MB = 1_000

const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())

const LONGEST = '漢'.repeat(5_000)
const longestOf = (type: FieldType, fileIds: string[]) =>
  type === 'text' ? LONGEST : type === 'files' ? fileIds : undefined
const longest = (fields: Fields, fileIds: string[]) =>
  Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, longestOf(type, fileIds)]))

async function fill(kybId: string): Promise<void> {
  const { db, vaultId } = gatehouse
  const fileIds = Array.from({ length: 50 }, () => newId())
  const name = '漢'.repeat(200)
  await db.orm.insert(files).values(
    fileIds.map((id) => ({
      id,
      kybApplicationId: kybId,
      state: 'attached' as const,
      name: db.encryption.seal(name, fileContext(id)),
    })),
  )
  const people = Array.from({ length: MAX_BENEFICIARIES }, (_, n) => ({
    ...longest(BENEFICIARY_FIELDS, fileIds),
    email: `person${n}@example.com`,
    external_id: newId(),
  }))
  const sections = Object.entries(KYB_FIELDS).map(([section, fields]) => [section, longest(fields, fileIds)])
  const content = Object.fromEntries(sections) as KybContent
  content.beneficiaries.beneficiaries_list = people as Beneficiary[]
  await transaction(db, async (tx) => {
    const before = await getKybApplicationForUpdate(tx, vaultId, kybId)
    if (before) await saveKybApplication(tx, before, { ...before, content })
  })
}

const megabytes = (pid: number | undefined, what: 'VmHWM' | 'VmRSS') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test.runIf(process.platform === 'linux')(
  'sends several pages of the largest applications at once within the memory limit',
  async () => {
    for (let n = 0; n < APPLICATIONS; n++) await fill(await gatehouse.api.createKyb())
    const port = await freePort()
    const server = spawnProcess('src/server.ts', { ...gatehouse.env, PORT: String(port) })
    await server.ready()
    const page = async (query: string) => {
      const headers = { authorization: gatehouse.credentials.api_key }
      const { statusCode, body } = await request(`http://127.0.0.1:${port}/v1/kyb?${query}`, { headers })
      let bytes = 0
      let end = ''
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length
        end = (end + chunk.toString('utf8')).slice(-200)
      }
      return { statusCode, bytes, end }
    }
    const one = await page('per_page=1')
    const before = megabytes(server.child.pid, 'VmRSS')
    const pages = await Promise.all(Array.from({ length: READERS }, () => page('per_page=100')))
    const most = megabytes(server.child.pid, 'VmHWM')
    console.log(
      `${APPLICATIONS} of ${one.bytes / 1e6} MB for ${READERS} readers: ${before} MB before, ${most} MB at most`,
    )
    for (const { statusCode, bytes, end } of pages) {
      expect(statusCode).toBe(200)
      expect(bytes).toBeGreaterThan((one.bytes - 200) * APPLICATIONS)
      expect(end).toMatch(/\}\],"pagination":\{"current_page":1,"per_page":100,.*\}\}$/)
    }
    expect(most).toBeLessThan(MOST_MB)
    await server.stop()
  },
)

test('returns the same content for an application in a page as for a single application', async () => {
  const { body } = await gatehouse.api.get('/kyb?per_page=5')
  expect(body.pagination.total_count).toBe(APPLICATIONS)
  const ids = body.data.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(5)
  const [first] = body.data
  expect(first).toEqual((await gatehouse.api.get(`/kyb/${first.id}`)).body.data)
})
