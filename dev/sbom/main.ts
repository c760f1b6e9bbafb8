/**
 * Command: `npm run sbom`. Writes the software bill of materials of all production dependencies. `npm sbom --omit=dev`
 * would also omit those that development dependencies share.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly name: string
    readonly version: string
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}
interface Lock {
  readonly packages: Record<string, { readonly version: string; readonly dev?: boolean }>
}

const FILE = 'dist/sbom.cdx.json'
const ARGUMENTS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']

const bom = JSON.parse(execFileSync('npm', ARGUMENTS, { encoding: 'utf8', maxBuffer: 100_000_000 })) as Bom
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
const production = new Set(
  Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
)
const components = bom.components.filter(({ name, version }) => production.has(`${name}@${version}`))
const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']))
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))

mkdirSync('dist', { recursive: true })
writeFileSync(FILE, `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`)
console.log(FILE)
