/** Locks a file. The system releases the lock when the process exits, however it exits. */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock } from 'fs-native-extensions'

export type Lock = { release(): void }

/**
 * Returns the lock, or the PID of the process that has it. The file remains, because another process may be
 * locking it.
 */
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

/** Locks the file during the work. Waits while another process has the lock. */
export async function whileLocked<T>(file: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const lock = acquireLock(file)
    if ('heldBy' in lock) {
      await sleep(100)
      continue
    }
    try {
      return await work()
    } finally {
      lock.release()
    }
  }
}
