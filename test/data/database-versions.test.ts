/** Tests the oldest supported versions of PostgreSQL, and one that is too old. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { migrate } from '../../src/db/connection/migrate.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { completeSections, uploadRequired } from '../support/kyb.ts'
import { startPostgresOf } from '../support/postgres-version.ts'
import { spawnProcess } from '../support/processes.ts'

type Server = Awaited<ReturnType<typeof startPostgresOf>>

describe.each([16, 17] as const)('PostgreSQL %i', (major) => {
  let server: Server
  let gatehouse: OwnInstance
  beforeAll(async () => {
    server = await startPostgresOf(major)
    await migrate(server.url, { service: server.serviceUrl })
    gatehouse = await startInstance({ databaseUrl: server.serviceUrl })
    await gatehouse.startWorker()
  })
  afterAll(async () => {
    await gatehouse.stop()
    await server.stop()
  })

  test('stores, changes and lists applications', async () => {
    const { api } = gatehouse
    const id = await api.createKyb()
    expect((await api.patch(`/kyb/${id}`, completeSections())).status).toBe(200)
    await uploadRequired(api, id)
    expect((await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })).status).toBe(200)
    const { body } = await api.get('/kyb')
    expect(body.data).toMatchObject([{ id, status: { processed: true } }])
  })
})

describe('PostgreSQL 15', () => {
  let server: Server
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))
  const env = () => ({
    DATABASE_URL: server.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BLOB_URL: pathToFileURL(folder).href,
    ...newKeys(),
  })
  beforeAll(async () => {
    server = await startPostgresOf(15)
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  test('is refused by migrate, which changes nothing', async () => {
    const cli = spawnProcess('src/cli/main.ts', env(), 'migrate')
    expect(await cli.ended).toBe(1)
    expect(cli.output()).toBe('PostgreSQL 15.18 is too old. Install version 16 to 18.\n')
    const client = postgres(server.url, { max: 1 })
    const schemas = await client`SELECT FROM information_schema.schemata WHERE schema_name = 'drizzle'`
    await client.end()
    expect(schemas.count).toBe(0)
  })

  test.each([
    ['src/server.ts', 'PORT'],
    ['src/worker.ts', 'HEALTH_PORT'],
  ])('keeps %s from becoming ready, and its log states the versions', async (script, port) => {
    const own = String(await freePort())
    const started = spawnProcess(script, { ...env(), [port]: own })
    onTestFinished(() => started.stop('SIGKILL'))
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${own}/readyz`)
      expect(await response.json()).toEqual({ status: 'database_too_old' })
    })
    await started.wrote('PostgreSQL 15.18 is too old. Install version 16 to 18.')
  })
})
