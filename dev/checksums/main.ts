/**
 * Command: `npm run checksums`. Adds the missing checksums to `package-lock.json`. npm omits those of packages for other
 * systems.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('../../package-lock.json', import.meta.url)

interface Lock {
  readonly packages: Record<string, { version: string; integrity?: string }>
}

const lock = JSON.parse(readFileSync(FILE, 'utf8')) as Lock
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.integrity !== undefined) continue
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const integrity = execFileSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity'], {
    encoding: 'utf8',
  }).trim()
  const { version, ...rest } = entry
  // The same order as in entries that npm writes.
  lock.packages[path] = { version, integrity, ...rest }
  console.log(`${name}@${version}`)
}
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
