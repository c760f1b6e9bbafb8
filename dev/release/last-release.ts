/** Builds the last release from the repository's history, so that tests can upgrade from it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { releasesIn } from './check.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const release = releasesIn(readFileSync('CHANGELOG.md', 'utf8')).find((each) => each.version !== version)

const hasCommit = (name: string | null | undefined): name is string => {
  if (!name) return false
  try {
    execFileSync('git', ['cat-file', '-e', `${name}^{commit}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const commit = [`v${release?.version}`, release?.commit].find(hasCommit)

/** The reason why the last release cannot be built here, or null. */
export const missingLastRelease = commit
  ? null
  : `the repository has no commit of the release ${release?.version}. Run "git fetch --unshallow --tags"`

/** Builds the last release in the folder, with the dependencies of this version. Returns the path of a program. */
export function buildLastRelease(folder: string): (script: string) => string {
  mkdirSync(folder)
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, folder])
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'inherit' })
  return (script) => join(folder, 'dist', script.replace(/\.ts$/, '.js'))
}
