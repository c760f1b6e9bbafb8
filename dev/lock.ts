/** A lock file that names its holder, so that one left behind by a crash is recognised and taken over. */
import { randomUUID } from 'node:crypto'
import { createPrivate, readIfThere, removeIfStill } from './files.ts'
import { isRunning, type ProcessRef, thisProcess } from './identity.ts'

export type Lock = { release(): void }

/** The lock, or the process that holds it. */
export function takeLock(file: string): Lock | { heldBy: ProcessRef } {
  const mine = JSON.stringify({ ...thisProcess(), token: randomUUID() })
  for (;;) {
    if (createPrivate(file, mine)) return { release: () => removeIfStill(file, mine) }
    const found = readIfThere(file)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (holder && isRunning(holder)) return { heldBy: holder }
    removeIfStill(file, found)
  }
}

function parseHolder(text: string): ProcessRef | undefined {
  try {
    const { pid, started } = JSON.parse(text)
    return Number.isInteger(pid) ? { pid, started } : undefined
  } catch {
    return undefined
  }
}
