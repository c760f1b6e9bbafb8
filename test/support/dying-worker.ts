/**
 * A worker that kills processes after the first command is committed and before Temporal learns of it: itself
 * (KILL_SELF), the Temporal server (KILL_PID), or both.
 */
import { composeWorker } from '../../src/compose/worker.ts'
import { readConfig } from '../../src/process/config.ts'
import { createLogger } from '../../src/process/log.ts'
import { installRuntime } from '../../src/temporal/workers.ts'

const { KILL_PID, KILL_SELF } = process.env
const log = createLogger('silent', 'dying-worker')
installRuntime(log)
let killed = false
const worker = composeWorker(readConfig(process.env), log, (activities) => ({
  ...activities,
  async applyKybCommands(input) {
    const result = await activities.applyKybCommands(input)
    if (!killed && KILL_PID) process.kill(Number(KILL_PID), 'SIGKILL')
    if (!killed && KILL_SELF) process.kill(process.pid, 'SIGKILL')
    killed = true
    return result
  },
}))
await worker.polling
process.send?.('ready')
await worker.ended
