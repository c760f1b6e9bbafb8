/** Downloads files from Maven Central, in a folder that later runs reuse. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CACHE_DIR } from '../../dev/settings.ts'

const CENTRAL = 'https://repo.maven.apache.org/maven2'

const hasChecksum = (path: string, sha256: string): boolean =>
  existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256

/**
 * Downloads jars, each a path in Maven Central with its SHA-256. `missing` is the reason for a failure, or null, and
 * `jars` are the files in the same order.
 */
export async function downloadJars(files: Readonly<Record<string, string>>) {
  const folder = join(CACHE_DIR, 'jars')
  mkdirSync(folder, { recursive: true })
  const jars: string[] = []
  for (const [path, sha256] of Object.entries(files)) {
    const jar = join(folder, basename(path))
    jars.push(jar)
    if (hasChecksum(jar, sha256)) continue
    const response = await fetch(`${CENTRAL}/${path}`).catch(() => null)
    if (!response?.ok) return { missing: `${basename(path)} cannot be downloaded from Maven Central`, jars }
    // Renames the complete file, because other processes may download it at the same time.
    const unfinished = `${jar}.${process.pid}`
    writeFileSync(unfinished, Buffer.from(await response.arrayBuffer()))
    renameSync(unfinished, jar)
    if (!hasChecksum(jar, sha256)) throw new Error(`${basename(path)} has another SHA-256 than expected`)
  }
  return { missing: null, jars }
}
