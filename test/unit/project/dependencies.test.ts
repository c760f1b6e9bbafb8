/** Tests the lock file: checksums, licences and install scripts. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const readJson = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'))

interface Locked {
  readonly license?: string
  readonly version: string
  readonly resolved?: string
  readonly integrity?: string
  readonly deprecated?: string
  readonly hasInstallScript?: boolean
  readonly optional?: boolean
  readonly dev?: boolean
}

const { packages } = readJson('package-lock.json') as { packages: Record<string, Locked> }
const installed = Object.entries(packages).filter(([path]) => path !== '')
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const those = (matches: (locked: Locked, name: string) => boolean) =>
  installed.filter(([path, locked]) => matches(locked, nameOf(path))).map(([path]) => path)

/** These licences require only that their notice is kept. */
const LICENSES = new Set([
  ...[
    'MIT',
    'MIT-0',
    'MIT/X11',
    'Apache-2.0',
    'Apache-2.0 AND MIT',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    '0BSD',
    'Unlicense',
  ],
  ...['BlueOak-1.0.0', 'CC-BY-4.0'],
])

/** The LGPL requires replaceable libraries. These are separate files, which the process loads at its start. */
const isExchangeable = (name: string) => name.startsWith('@img/sharp-')

/** These packages state MIT, MIT and the Unlicense in a file or in a form that npm no longer reads. */
const LICENSED_ELSEWHERE = new Set(['busboy', 'streamsearch', 'unionfs'])

test('allows only deployable licences in production dependencies', () => {
  const isFit = ({ license }: Locked, name: string) =>
    license === undefined ? LICENSED_ELSEWHERE.has(name) : LICENSES.has(license) || isExchangeable(name)
  expect(those((locked, name) => !locked.dev && !isFit(locked, name))).toEqual([])
})

test('contains no deprecated package', () => {
  expect(those(({ deprecated }) => deprecated !== undefined)).toEqual([])
})

test('allows install scripts only for packages listed in package.json', () => {
  const decided = new Set(Object.keys(readJson('package.json').allowScripts))
  expect(those(({ hasInstallScript }, name) => hasInstallScript === true && !decided.has(name))).toEqual([])
})

test('has a checksum for every package', () => {
  const missing = those(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(missing, 'Run npm run checksums').toEqual([])
})

test('is independent of the registry', () => {
  expect(those(({ resolved }) => resolved !== undefined)).toEqual([])
})

test('explains each licence that is not permissive, and each package with an unusual one', () => {
  const guide = readFileSync(new URL('../../../docs/supply-chain.md', import.meta.url), 'utf8')
  const unusual = (license: string) => !/^(MIT|ISC|0BSD|Unlicense|(Apache|BSD)-\d.*)$/.test(license)
  const groups = those(({ dev, license }) => !dev && (license === undefined || unusual(license)))
    .map(nameOf)
    .map((name) => (isExchangeable(name) ? 'sharp' : name))
  for (const name of new Set(groups)) expect(guide, name).toContain(`\`${name}\``)
})
