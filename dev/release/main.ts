/**
 * Command: `npm run release`. Checks that the current commit can be released, runs all tests, writes the software bill
 * of materials, and creates the tag. It publishes nothing.
 */
import { execFileSync } from 'node:child_process'
import { findObstacles, releasesIn } from './check.ts'
import { releaseFiles } from './files.ts'
import { missingLastRelease } from './last-release.ts'

const ask = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' })

const files = releaseFiles()
const obstacles = findObstacles(files, ask('tag', '--list').split('\n'))
if (ask('status', '--porcelain') !== '') obstacles.push('Commit or discard your changes.')
if (missingLastRelease) obstacles.push(`The upgrade cannot be tested: ${missingLastRelease}.`)
if (obstacles.length > 0) {
  console.error(obstacles.join('\n'))
  process.exit(1)
}

// Runs the upgrade from the last release, and fails if a test is skipped.
run('.ci/run')
run('npm', 'run', '--silent', 'build')
run('npm', 'run', '--silent', 'sbom')
if (ask('status', '--porcelain') !== '') {
  console.error('The checks changed files. Commit them and start again.')
  process.exit(1)
}
const tag = `v${releasesIn(files.changelog)[0]?.version}`
run('git', 'tag', '--annotate', tag, '--message', `Gatehouse ${tag.slice(1)}`)
console.log(`Created the tag ${tag}. To publish it, run git push origin ${tag}`)
