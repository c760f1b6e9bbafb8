/** Writes the output of child processes to files, and their warnings and errors also to the terminal. */
import { appendFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { sizeOf } from '../files.ts'

const LARGEST = 10_000_000
const WARNING = 40

export const logFolder = (dataDir: string): string => join(dataDir, 'logs')

/** Appends lines to `logs/<name>.log`. At 10 MB, renames the file to `.old`. */
export function logTo(dataDir: string, name: string): (line: string) => void {
  mkdirSync(logFolder(dataDir), { recursive: true, mode: 0o700 })
  const file = join(logFolder(dataDir), `${name}.log`)
  let size = sizeOf(file)
  return (line) => {
    if (size > LARGEST) {
      renameSync(file, `${file}.old`)
      size = 0
    }
    appendFileSync(file, `${line}\n`, { mode: 0o600 })
    size += line.length + 1
  }
}

/** Returns one line for a logged warning or error, or undefined for other entries. */
export function warningIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { level, msg, err } = JSON.parse(line)
    if (!(level >= WARNING)) return undefined
    return [msg, err?.name, err?.code].filter(Boolean).join(' ') || line
  } catch {
    return undefined
  }
}
