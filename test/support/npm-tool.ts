/** Installs programs from npm that are not dependencies of the project, in a folder that later runs reuse. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs packages such as `name@1.2.3`. `missing` is the reason for a failure, or null, and `bin` is the
 * path of a program.
 */
export async function installNpmPackages(...packages: readonly string[]) {
  const hash = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `gatehouse-npm-${hash}`)
  const complete = join(folder, 'complete')
  if (!existsSync(complete)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{}')
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
    try {
      await run('npm', ['install', ...options, ...packages], { cwd: folder })
      writeFileSync(complete, '')
    } catch {
      return { missing: `${packages.join(', ')} cannot be installed from npm`, bin: () => '' }
    }
  }
  return { missing: null, bin: (program: string) => join(folder, 'node_modules', '.bin', program) }
}
