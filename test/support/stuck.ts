/** A process whose event loop stands still once it is told to. */
import { startWatchdog } from '../../src/process/watchdog.ts'

startWatchdog(Number(process.env.MOST_SECONDS))
setInterval(() => {}, 1_000)
process.on('message', () => {
  for (;;);
})
process.send?.('ready')
