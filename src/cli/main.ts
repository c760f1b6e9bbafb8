/** Command: `npm run cli -- <command>`, for administrators and deployments. */
import '../process/node.ts'

await import('./commands.ts')
