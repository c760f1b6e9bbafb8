/** The children's output: all of it to a file each, warnings and errors of our own processes to the terminal too. */
import { appendFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { sizeOf } from '../files.ts'

const LARGEST = 10_000_000
const WARNING = 40

export const logFolder = (dataDir: string): string => join(dataDir, 'logs')

/** Appends lines to `logs/<name>.log`; at 10 MB the file is put aside as `.old`. */
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

/** One line for a logged warning or error; undefined for what need not be shown. */
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
