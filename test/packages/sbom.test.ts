/** Tests the software bill of materials. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Component {
  readonly name: string
  readonly version: string
  readonly hashes?: readonly unknown[]
}

interface Locked {
  readonly version: string
  readonly dev?: boolean
}

const readJson = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

test('`npm run sbom` writes all production dependencies in the CycloneDX format', () => {
  const [file = ''] = execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' }).split('\n')
  const bom = readJson(file)
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } })
  const listed = new Set(bom.components.map(({ name, version }: Component) => `${name}@${version}`))
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Locked> }
  const production = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
  expect(production.filter((each) => !listed.has(each))).toEqual([])
  const unhashed = (bom.components as Component[]).filter(({ hashes = [] }) => hashes.length === 0)
  expect(unhashed).toEqual([])
})
