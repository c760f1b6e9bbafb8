/**
 * Holds a listening socket and restarts a process that accepts its connections, as systemd does. Arguments: the port,
 * the file for the process's ID, the script.
 */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'

const [port, pidFile, script] = process.argv.slice(2)
const RUN = 'echo $$ > "$0.new"; mv "$0.new" "$0"; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'

const server = createServer().listen(Number(port), '127.0.0.1', 4096, () => {
  // Blocks this process, so that it never accepts a connection itself.
  for (;;)
    spawnSync('/bin/sh', ['-c', RUN, pidFile, process.execPath, script], {
      stdio: ['ignore', 'inherit', 'inherit', server._handle.fd],
    })
})
