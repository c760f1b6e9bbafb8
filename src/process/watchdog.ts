/**
 * Ends the process when its event loop has stood still for long, so that whoever supervises it starts it again, and
 * tells a parent that it turns.
 */
import { Worker } from 'node:worker_threads'

const PULSE_MS = 1_000
const MAX_SECONDS = 60

/** It counts its own turns, not the time: after the whole process, or the machine, was asleep nothing is missed. */
const WATCHING = `
  const { writeSync } = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  let missed = 0
  parentPort.on('message', () => { missed = 0 })
  setInterval(() => {
    if (++missed <= workerData) return
    // Where nobody reads what is said, it ends all the same.
    try { writeSync(2, '{"level":60,"msg":"process exits because its event loop hangs"}\\n') } catch {}
    process.kill(process.pid, 'SIGKILL')
  }, 1000)`

export function startWatchdog(maxSeconds = MAX_SECONDS): void {
  const watching = new Worker(WATCHING, { eval: true, workerData: maxSeconds })
  watching.unref()
  setInterval(() => {
    watching.postMessage('alive')
    if (process.connected) process.send?.('alive', () => {})
  }, PULSE_MS).unref()
}
