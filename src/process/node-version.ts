/** Ends the process if its Node.js is too old. Imported first, because other modules fail to load with an old one. */
import { requireSupported } from './versions.ts'

try {
  requireSupported('Node.js', process.version)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
