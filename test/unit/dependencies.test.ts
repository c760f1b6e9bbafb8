/** What the lock file brings in: with a checksum, a licence that fits, and no install script but those allowed. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const readJson = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

interface Locked {
  readonly license?: string
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

/** Licences that ask for nothing but their notice. */
const LICENSES = new Set([
  ...[
    'MIT',
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

/** The LGPL asks that what is linked can be exchanged: these are files of their own, loaded when the process starts. */
const isExchangeable = (name: string) => name.startsWith('@img/sharp-')

/** These say it in a file of theirs, or in a form that npm no longer reads: MIT, MIT and the Unlicense. */
const SAID_ELSEWHERE = new Set(['busboy', 'streamsearch', 'unionfs'])

test('what is deployed has a licence that may be deployed', () => {
  const isFit = ({ license }: Locked, name: string) =>
    license === undefined ? SAID_ELSEWHERE.has(name) : LICENSES.has(license) || isExchangeable(name)
  expect(those((locked, name) => !locked.dev && !isFit(locked, name))).toEqual([])
})

test('nothing is deprecated', () => {
  expect(those(({ deprecated }) => deprecated !== undefined)).toEqual([])
})

test('only packages that package.json decides about have install scripts', () => {
  const decided = new Set(Object.keys(readJson('package.json').allowScripts))
  expect(those(({ hasInstallScript }, name) => hasInstallScript === true && !decided.has(name))).toEqual([])
})

test('everything has a checksum; what is for another system may get it there', () => {
  expect(those(({ integrity, optional }) => !optional && !/^sha512-/.test(integrity ?? ''))).toEqual([])
})
