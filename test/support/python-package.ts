/** Installs packages from PyPI, each version in an environment that later runs reuse. */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const works = (command: string, ...args: string[]) =>
  run(command, args).then(
    () => true,
    () => false,
  )

/**
 * Installs the package. `missing` is the reason for a failure, or null, and `bin` is the path of one of its
 * programs.
 */
export async function installPythonPackage(
  name: string,
  version: string,
  extra = '',
  more: readonly string[] = [],
) {
  const environment = join(tmpdir(), `gatehouse-${name}-${version}`)
  const bin = (program: string) => join(environment, 'bin', program)
  return { missing: await install(), bin }

  async function install(): Promise<string | null> {
    const isThere = `import importlib.metadata as m, sys; sys.exit(m.version('${name}') != '${version}')`
    if (await works(bin('python3'), '-c', isThere)) return null
    const isNewEnough = 'import sys, venv; sys.exit(sys.version_info < (3, 10))'
    if (!(await works('python3', '-c', isNewEnough)) || !(await works('python3', '-m', 'venv', environment)))
      return 'Python 3.10 or newer with its venv module is not installed'
    const isInstalled = await works(
      bin('pip'),
      'install',
      '--quiet',
      `${name}${extra && `[${extra}]`}==${version}`,
      ...more,
    )
    return isInstalled ? null : `${name} ${version} cannot be installed from PyPI`
  }
}
