/**
 * Ends the process if its event loop hangs, so that the supervisor restarts it. Also notifies a parent process that the
 * process is running.
 */
import { Worker } from 'node:worker_threads'

const PULSE_MS = 1_000
const MAX_SECONDS = 60

/**
 * The code of the watchdog thread. The thread counts its own ticks instead of the time, so that a suspended process or
 * machine does not count as hanging.
 */
const WATCHING = `
  const { writeSync } = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  let missed = 0
  parentPort.on('message', () => { missed = 0 })
  setInterval(() => {
    if (++missed <= workerData) return
    // The process must end even if no one reads its output.
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
