/** Tests when certificates of the settings and of the public URL expire. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { afterAll, expect, test } from 'vitest'
import { certificatesOf } from '../../../src/process/certificates.ts'
import type { Config } from '../../../src/process/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const create = (days: number) =>
  generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048, notAfterDate: inDays(days) })
const config = (more: Partial<Config>) =>
  ({ DATABASE_URL: 'postgresql://db/gatehouse', PUBLIC_URL: 'http://localhost:3000', ...more }) as Config

test('reads the first expiry of each file, and of the public URL', async () => {
  const [soon, late] = await Promise.all([create(3), create(300)])
  const file = join(folder, 'both.pem')
  writeFileSync(file, late.cert + soon.cert)
  const server = createServer({ key: late.private, cert: late.cert }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const found = certificatesOf(
    config({
      TEMPORAL_TLS_CA_FILE: file,
      DATABASE_URL: `postgresql://db/gatehouse?sslrootcert=${file}`,
      PUBLIC_URL: `https://127.0.0.1:${port}`,
    }),
  )
  const days = await Promise.all(
    found.map(async ({ name, expiresAt }) => [
      name,
      Math.round(((await expiresAt()).getTime() - Date.now()) / 86_400_000),
    ]),
  )
  server.close().closeAllConnections()
  expect(days).toEqual([
    ['TEMPORAL_TLS_CA_FILE', 3],
    ['sslrootcert in DATABASE_URL', 3],
    ['PUBLIC_URL', 300],
  ])
})

test('reports a file or a host that cannot be read', async () => {
  const found = certificatesOf(
    config({ WEBHOOK_CA_FILE: join(folder, 'absent.pem'), PUBLIC_URL: 'https://127.0.0.1:1' }),
  )
  for (const { expiresAt } of found) await expect(expiresAt()).rejects.toThrow()
  expect(found).toHaveLength(2)
})
