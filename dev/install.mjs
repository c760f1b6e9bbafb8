/** Installs the dependencies if they are missing or differ from package-lock.json, so that one command is enough. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest Node.js that runs Gatehouse. An older one can run this script and npm. */
const NODE_MAJOR = 26
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

const wanted = readPackages('package-lock.json')
if (!wanted) fail('package-lock.json is missing or damaged. Restore it from the repository.')

if (!isInstalled(wanted)) {
  console.log('Installing the dependencies (once, about 30 seconds) ...')
  const npm = process.env.npm_execpath
  const viaNpm = npm && basename(npm).startsWith('npm')
  // Always includes the development dependencies, because they contain PostgreSQL and Temporal.
  // An older Node.js can install the dependencies, although it cannot run them.
  const args = ['ci', '--include=dev', '--include=optional', '--engine-strict=false', '--loglevel=error']
  // The Node.js of npm is not in node_modules, which npm deletes first.
  const run = viaNpm
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], {
        cwd: root,
        stdio: 'inherit',
      })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (run.error) fail(`npm could not be started: ${run.error.message}`)
  if (run.status !== 0) fail('npm ci failed. See its output above.')
}

// npm puts the folder of this Node.js first into the PATH of all scripts.
const bundled = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const { version } = process
if (!existsSync(bundled) && Number(version.slice(1).split('.')[0]) < NODE_MAJOR)
  fail(
    `This is Node.js ${version}, and npm has none for this system. Install Node.js ${NODE_MAJOR} or later.`,
  )
