/** Builds the npm packages, which contain compiled JavaScript and types. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROJECT = fileURLToPath(new URL('tsconfig.json', import.meta.url))

const { version, license, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as { version: string; license: string; devDependencies: Record<string, string> }

/** The packages do not need the Node.js that runs Gatehouse. docs/api.md states the same version. */
const ENGINES = { node: '>=20.19' }

interface Package {
  readonly name: string
  readonly description: string
  /** The modules, without extensions. The first one is the entry point. */
  readonly modules: readonly string[]
  readonly dependencies: readonly string[]
}

const PACKAGES: readonly Package[] = [
  {
    name: 'gatehouse-client',
    description: 'Typed client for the Gatehouse API, with the types of its webhooks.',
    modules: ['client/index', 'client/types'],
    dependencies: ['openapi-fetch'],
  },
  {
    name: 'gatehouse-verify-webhook',
    description: 'Verifies the signature of a Gatehouse webhook and parses the event.',
    modules: ['src/webhooks/verify-webhook'],
    dependencies: [],
  },
]

/** Writes the tarballs into the folder and returns their paths. */
export async function buildPackages(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const compiled = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'))
  try {
    await execa('tsc', ['-p', PROJECT, '--outDir', compiled], { preferLocal: true, localDir: ROOT })
    const tarballs: string[] = []
    for (const each of PACKAGES) tarballs.push(await pack(each, compiled, folder))
    return tarballs
  } finally {
    rmSync(compiled, { recursive: true, force: true })
  }
}

async function pack({ name, description, modules, dependencies }: Package, compiled: string, folder: string) {
  const content = join(compiled, name)
  mkdirSync(content)
  for (const module of modules)
    for (const ending of ['js', 'd.ts'])
      cpSync(join(compiled, `${module}.${ending}`), join(content, `${basename(module)}.${ending}`))
  cpSync(join(ROOT, 'LICENSE'), join(content, 'LICENSE'))
  const entry = `./${basename(modules[0] ?? '')}`
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: ENGINES,
    // Declares no condition, so that `require` works too.
    exports: { '.': { types: `${entry}.d.ts`, default: `${entry}.js` } },
    dependencies: Object.fromEntries(dependencies.map((each) => [each, devDependencies[each]])),
  }
  writeFileSync(join(content, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: content })
  return join(folder, (JSON.parse(stdout) as [{ filename: string }])[0].filename)
}
