/** A process whose event loop hangs on request. */
import { startWatchdog } from '../../src/process/watchdog.ts'

startWatchdog(Number(process.env.MOST_SECONDS))
setInterval(() => {}, 1_000)
process.on('message', () => {
  for (;;);
})
process.send?.('ready')
