/** Command: `npm run cli -- <command>`, for administrators and deployments. */
import '../process/node.ts'
import { HELP, readCommandLine } from './command-line.ts'

const line = readCommandLine(process.argv.slice(2))
if ('problem' in line) {
  console.error(line.problem)
  process.exitCode = 2
} else if (line.command === 'help') console.log(HELP)
// Loads most of Gatehouse, which the usage message does not need.
else await (await import('./commands.ts')).runCommand(line)
