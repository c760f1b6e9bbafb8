/** Builds Helm and kubeconform, and prepares the schemas of Kubernetes against which kubeconform validates. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findGo, findGoPrograms } from '../../dev/go-build.ts'
import { installPythonPackage } from './python-package.ts'

const MODULE_DIR = fileURLToPath(new URL('kubernetes', import.meta.url))
const modules = readFileSync(join(MODULE_DIR, 'go.mod'), 'utf8')
const versionOf = (module: string) => new RegExp(`${module} v(\\S+)`).exec(modules)?.[1] ?? ''
const NAME = `kubernetes-${versionOf('helm.sh/helm/v3')}-${versionOf('github.com/yannh/kubeconform')}`

const run = promisify(execFile)

const SCHEMAS = await installPythonPackage('kubernetes-validate', '1.37.0')

/** The reason why the programs cannot be built or the schemas cannot be installed here, or null. */
export const missingKubernetesTools = (await findGo()) === null ? 'Go is not installed' : SCHEMAS.missing

/** Builds the programs if necessary, and returns functions that run them. */
export async function kubernetesTools() {
  const packages = {
    helm: 'helm.sh/helm/v3/cmd/helm',
    kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
  }
  const programs = { what: 'Helm and kubeconform', moduleDir: MODULE_DIR, packages }
  const folder = await findGoPrograms(programs, NAME, console.log)
  return {
    helm: async (...args: string[]): Promise<string> => (await run(join(folder, 'helm'), args)).stdout,
    /** Rejects with the problems if a manifest is invalid in this version of Kubernetes. */
    async validate(manifests: string, version: string): Promise<void> {
      const schemas = writeSchemas(version)
      const file = join(schemas, 'manifests.yaml')
      writeFileSync(file, manifests)
      const location = join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json')
      const options = ['-strict', '-kubernetes-version', version, '-schema-location', location]
      await run(join(folder, 'kubeconform'), [...options, file]).catch(({ stdout }) => {
        throw new Error(stdout)
      })
    },
  }
}

/** Copies the schemas of a version without their public addresses, at which their references would be resolved. */
function writeSchemas(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-schemas-'))
  const from = schemaFolder(version)
  for (const name of readdirSync(from)) {
    const { $id: _, ...schema } = JSON.parse(readFileSync(join(from, name), 'utf8'))
    writeFileSync(
      join(folder, name),
      JSON.stringify(schema).replaceAll('/api/_definitions.json', '_definitions.json'),
    )
  }
  return folder
}

function schemaFolder(version: string): string {
  const lib = join(SCHEMAS.bin('..'), 'lib')
  const [python = ''] = readdirSync(lib)
  const all = join(lib, python, 'site-packages/kubernetes_validate/kubernetes-json-schema')
  return join(all, `v${version}-local-strict`)
}
