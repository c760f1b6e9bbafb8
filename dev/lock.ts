/** A lock that this process holds until it releases it or ends, however it ends: the system takes it back. */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { tryLock } from 'fs-native-extensions'

export type Lock = { release(): void }

/** The lock, or the pid of the process that holds it. The file stays: another process may be about to lock it. */
export function acquireLock(file: string): Lock | { heldBy: number } {
  const descriptor = openSync(file, 'a+', 0o600)
  if (!tryLock(descriptor)) {
    closeSync(descriptor)
    return { heldBy: Number.parseInt(readFileSync(file, 'utf8'), 10) }
  }
  ftruncateSync(descriptor)
  writeSync(descriptor, `${process.pid}\n`)
  return { release: () => closeSync(descriptor) }
}
