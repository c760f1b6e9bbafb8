/** Tests the parsing of DATABASE_URL in its common forms. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeOf } from '../../../src/db/connection/database-url.ts'
import { SettingsError } from '../../../src/process/settings-error.ts'

const URL = 'postgresql://ada:pa%25ss%40word@db.example:6432/my%2Ddb'
const ca = join(tmpdir(), `gatehouse-ca-${process.pid}.pem`)
const PEM = '-----BEGIN CERTIFICATE-----'
writeFileSync(ca, PEM)

test('decodes the host, the port, the user, the password and the database', () => {
  expect(placeOf(URL)).toEqual({
    address: { host: 'db.example', port: 6432 },
    user: 'ada',
    password: 'pa%ss@word',
    database: 'my-db',
    tls: false,
    parameters: {},
  })
})

test.each([
  ['postgres://[2001:db8::1]/x', { host: '2001:db8::1', port: 5432 }],
  ['postgres:///x', { host: 'localhost', port: 5432 }],
  ['postgres:///x?host=/var/run/postgresql', { path: '/var/run/postgresql/.s.PGSQL.5432' }],
  ['postgres://%2Fvar%2Frun%2Fpostgresql:5433/x', { path: '/var/run/postgresql/.s.PGSQL.5433' }],
])('reads the address in %s', (url, address) => {
  expect(placeOf(url).address).toEqual(address)
})

describe('TLS', () => {
  const verified = { host: 'db.example', rejectUnauthorized: true }
  test.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?ssl=false', false],
    ['?ssl=true', verified],
    ['?sslmode=require', verified],
    ['?sslmode=no-verify', { host: 'db.example', rejectUnauthorized: false }],
    [`?sslrootcert=${ca}`, { ...verified, ca: Buffer.from(PEM) }],
    [`?sslcert=${ca}&sslkey=${ca}`, { ...verified, cert: expect.any(Buffer), key: expect.any(Buffer) }],
  ])('is configured by the parameters %j', (query, tls) => {
    expect(placeOf(URL + query)).toMatchObject({ tls })
  })
})

test.each(['sslrootcert', 'sslcert', 'sslkey'])('names a %s that cannot be read, without the URL', (name) => {
  const setting = `${name} in DATABASE_URL or MIGRATION_DATABASE_URL`
  expect(() => placeOf(`${URL}?${name}=/nope.pem`)).toThrow(
    new SettingsError(`${setting}: /nope.pem cannot be read.`),
  )
  expect(() => placeOf(`${URL}?${name}=/dev/null`)).toThrow(
    new SettingsError(`${setting}: /dev/null is not a PEM file.`),
  )
})

test('drops parameters that only other programs use', () => {
  const given = '?channel_binding=require&schema=public&uselibpqcompat=true&application_name=mine'
  expect(placeOf(URL + given).parameters).toEqual({ application_name: 'mine' })
})
