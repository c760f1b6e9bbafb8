/** Installs the dependencies if they are missing or differ from package-lock.json, so that one command is enough. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function fail(message) {
  console.error(message)
  process.exit(1)
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Returns whether the wanted packages are installed. As its last step, npm writes the installed versions to its own
 * lock file.
 */
function isInstalled(wanted) {
  const installed = readPackages('node_modules/.package-lock.json')
  if (!installed) return false
  return Object.entries(wanted).every(([path, { version, integrity, optional, peer }]) => {
    const found = installed[path]
    if (path === '') return true
    if (!found) return optional === true || peer === true
    return found.version === version && found.integrity === integrity
  })
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`This is Node.js ${process.versions.node}. Install Node.js 20.19 or later.`)
}

const wanted = readPackages('package-lock.json')
if (!wanted) fail('package-lock.json is missing or damaged. Restore it from the repository.')

if (!isInstalled(wanted)) {
  console.log('Installing the dependencies (once, about 30 seconds) ...')
  const npm = process.env.npm_execpath
  const viaNpm = npm && basename(npm).startsWith('npm')
  // Always includes the development dependencies, because they contain PostgreSQL and Temporal.
  const args = ['ci', '--include=dev', '--include=optional']
  const run = viaNpm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (run.error) fail(`npm could not be started: ${run.error.message}`)
  if (run.status !== 0) fail('npm ci failed. See its output above.')
}
