/** Tests Temporal over mutual TLS, with a proxy that requires a client certificate. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, expect, inject, test } from 'vitest'
import { receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { readConfig, temporalOf } from '../../src/process/config.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import { startInstance } from '../support/instance.ts'
import { prepareLaunch } from '../support/launched.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
const authority = await receiverAuthority(folder)
const own = await receiverCertificate(authority)
const files = { ca: authority.cert, cert: own.cert, key: own.key }
const fileOf = (name: keyof typeof files) => join(folder, `${name}.pem`)
for (const name of Object.keys(files) as (keyof typeof files)[]) writeFileSync(fileOf(name), files[name])

const [host = '', port = ''] = inject('temporalAddress').split(':')
let refused = 0
const proxy = createServer(
  { ...(await receiverCertificate(authority)), ca: authority.cert, requestCert: true, ALPNProtocols: ['h2'] },
  (socket) => {
    const server = connect(Number(port), host)
    socket.pipe(server).pipe(socket)
    for (const each of [socket, server]) each.on('error', () => [socket, server].map((one) => one.destroy()))
  },
)
proxy.on('tlsClientError', () => void refused++)
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const TEMPORAL_ADDRESS = `localhost:${(proxy.address() as AddressInfo).port}`
const env = {
  TEMPORAL_ADDRESS,
  TEMPORAL_TLS_CA_FILE: fileOf('ca'),
  TEMPORAL_TLS_CERT_FILE: fileOf('cert'),
  TEMPORAL_TLS_KEY_FILE: fileOf('key'),
}
const gatehouse = await startInstance({ env })
await gatehouse.startWorker()
afterAll(async () => {
  await gatehouse.stop()
  proxy.close()
  rmSync(folder, { recursive: true, force: true })
})

test('applies commands through the worker', async () => {
  const { api } = gatehouse
  const id = await api.createKyb()
  const changed = await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Bonn' } })
  expect(changed.status).toBe(200)
})

test('`npm start` connects over TLS with the same settings', async () => {
  const owner = new URL(inject('postgresUrl'))
  owner.pathname = `/${gatehouse.name}`
  const { DATABASE_URL, TEMPORAL_NAMESPACE } = gatehouse.env
  const launched = await prepareLaunch({
    ...env,
    DATABASE_URL,
    TEMPORAL_NAMESPACE,
    MIGRATION_DATABASE_URL: owner.href,
  })
  const { temporal_address } = await launched.launch()
  expect(temporal_address).toBe(TEMPORAL_ADDRESS)
  expect(await launched.interrupt()).toBe(0)
  launched.remove()
})

test('refuses commands without a client certificate', async () => {
  const before = refused
  const without = { ...env, TEMPORAL_TLS_CERT_FILE: '', TEMPORAL_TLS_KEY_FILE: '' }
  const { api, stop } = await startInstance({ env: without, deadlineMs: DEADLINE_MS })
  const id = await api.createKyb()
  const changed = await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Bonn' } })
  expect(changed.status).toBe(503)
  expect(refused).toBeGreaterThan(before)
  await stop()
})

test('uses TLS with an API key, and names a file that cannot be read', () => {
  const given = {
    ...gatehouse.env,
    TEMPORAL_TLS_CA_FILE: '',
    TEMPORAL_TLS_CERT_FILE: '',
    TEMPORAL_TLS_KEY_FILE: '',
  }
  const config = readConfig({ ...given, TEMPORAL_API_KEY: 'secret' })
  expect(temporalOf(config)).toMatchObject({ apiKey: 'secret', tls: {} })
  expect('tls' in temporalOf(readConfig(given))).toBe(false)
  const nowhere = readConfig({ ...given, TEMPORAL_TLS_CA_FILE: '/nowhere.pem' })
  expect(() => temporalOf(nowhere)).toThrow('TEMPORAL_TLS_CA_FILE: /nowhere.pem cannot be read.')
})
