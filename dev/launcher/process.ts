/** Starts child processes with execa, reads their output by line, and stops them in order. */
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa, type Options } from 'execa'

export type ChildOptions = Pick<Options, 'cwd' | 'env' | 'extendEnv' | 'gid' | 'ipc' | 'uid'> & {
  name: string
  command: string
  args: string[]
  onLine?: ((line: string) => void) | undefined
  onSpawn?: ((pid: number) => void) | undefined
  stopSignal?: NodeJS.Signals
  killSignal?: NodeJS.Signals
  /** How long the process may take to stop before it is killed. */
  graceMs?: number
  /**
   * After its first message, a process must continue to send messages. It is killed if none arrives within this time.
   */
  maxSilenceMs?: number
}

export type Child = {
  pid: number
  /** Resolves with a short reason, such as "exit code 1". */
  exited: Promise<string>
  /** Resolves with the next line that matches, or rejects when the child exits. */
  line(matches: (line: string) => boolean): Promise<void>
  /** Resolves with the first message that the child sends. */
  message(): Promise<unknown>
  stop(): Promise<void>
  /** Returns the last lines of the child's output. */
  tail(): string
}

const TAIL_LINES = 20
const LISTENING_MS = 1_000
const living = new Map<number, NodeJS.Signals>()

// Kills all children when this process exits, unless SIGKILL ends it. execa does not do this for process groups.
process.on('exit', () => {
  for (const [pid, signal] of living) killGroup(pid, signal)
})

/** Starts a child and waits until it is ready. Stops it if it fails or is no longer wanted. */
export async function startChild(
  options: ChildOptions,
  whenReady: (child: Child) => Promise<unknown>,
  signal?: AbortSignal,
  timeoutMs = 180_000,
): Promise<Child> {
  signal?.throwIfAborted()
  const child = await spawnChild(options)
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const timedOut = once(limit, 'abort').then(() => {
    signal?.throwIfAborted()
    throw new Error(`${options.name} is not ready after ${timeoutMs / 1000} s.\n${child.tail()}`)
  })
  const ended = child.exited.then((how) => {
    throw new Error(`${options.name} stopped before it was ready (${how}).\n${child.tail()}`)
  })
  timedOut.catch(() => {})
  ended.catch(() => {})
  try {
    await Promise.race([whenReady(child), ended, timedOut])
    return child
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** Runs a child until it exits. Rejects if it fails. */
export async function runChild(options: ChildOptions, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const child = await spawnChild(options)
  const onAbort = () => void child.stop()
  signal?.addEventListener('abort', onAbort)
  const how = await child.exited
  signal?.removeEventListener('abort', onAbort)
  signal?.throwIfAborted()
  if (how !== 'exit code 0') throw new Error(`${options.name} failed (${how}).\n${child.tail()}`)
}

async function spawnChild(options: ChildOptions): Promise<Child> {
  const { name, command, args, onLine, onSpawn, stopSignal, killSignal, graceMs, ...given } = options
  const { maxSilenceMs = Number.POSITIVE_INFINITY, ...others } = given
  const lines: string[] = []
  const output = new EventEmitter<{ line: [string] }>()
  // biome-ignore lint/correctness/useYield: a generator transform that yields nothing discards the output
  const take = function* (line: unknown) {
    lines.push(String(line))
    if (lines.length > TAIL_LINES) lines.shift()
    onLine?.(String(line))
    output.emit('line', String(line))
  }
  const child = execa(command, args, {
    ...others,
    // Runs the child in its own group, so that Ctrl-C reaches only the launcher, which then stops all services in
    // order.
    detached: true,
    stdin: 'ignore',
    stdout: take,
    stderr: take,
    buffer: false,
    reject: false,
  })
  const { pid } = child
  if (pid === undefined) {
    const { code, cause } = await child
    throw new Error(`${name} could not be started (${code}): ${command}`, { cause })
  }
  living.set(pid, killSignal ?? 'SIGKILL')
  const exited = new Promise<string>((resolve) => {
    child.once('exit', async (code, signal) => {
      living.delete(pid)
      // Its last output may still arrive. A grandchild that keeps the pipe open must not delay the launcher.
      await Promise.race([child, sleep(200)])
      resolve(signal ? `signal ${signal}` : `exit code ${code}`)
    })
  })
  // Counts ticks of this process, so that a pause of this process does not count as silence of the child.
  let silentMs = Number.NEGATIVE_INFINITY
  child.on('message', () => {
    silentMs = 0
  })
  const listening = setInterval(() => {
    silentMs += LISTENING_MS
    if (silentMs > maxSilenceMs) killGroup(pid, 'SIGKILL')
  }, LISTENING_MS)
  void exited.then(() => clearInterval(listening))
  onSpawn?.(pid)

  async function stop(): Promise<void> {
    if (!living.has(pid as number)) return
    killGroup(pid as number, stopSignal ?? 'SIGTERM')
    const timer = setTimeout(() => killGroup(pid as number, killSignal ?? 'SIGKILL'), graceMs ?? 10_000)
    await exited
    clearTimeout(timer)
  }
  let stopped: Promise<void> | undefined
  return {
    pid,
    exited,
    tail: () => lines.map((line) => `  ${line}`).join('\n'),
    line: (matches) =>
      new Promise((resolve) => {
        output.on('line', (line) => matches(line) && resolve())
      }),
    message: () => once(child, 'message'),
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/**
 * Kills a process and its descendants, because some programs, such as compiler drivers, do not stop their own children.
 */
function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {} // the process has exited
}
