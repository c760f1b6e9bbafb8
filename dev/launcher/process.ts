/** Starts child processes, reads their output line by line, and stops them in good order. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type ChildOptions = {
  name: string
  command: string
  args: string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Opens a channel on which the child can send messages. */
  messages?: boolean
  onLine?: ((line: string) => void) | undefined
  onSpawn?: ((pid: number) => void) | undefined
  stopSignal?: NodeJS.Signals
  killSignal?: NodeJS.Signals
  /** How long it may take to stop by itself. */
  graceMs?: number
  /** Asks its own children to stop together with it, which a compiler's driver does not do for them. */
  stopGroup?: boolean
}

export type Child = {
  pid: number
  /** Settles with a few words, such as "exit code 1". */
  exited: Promise<string>
  /** The next line for which this is true; waits no longer than the child lives. */
  line(matches: (line: string) => boolean): Promise<void>
  message(expected: string): Promise<void>
  stop(): Promise<void>
  /** The last lines it printed. */
  tail(): string
}

const TAIL_LINES = 20
const living = new Map<ChildProcess, NodeJS.Signals>()

// No child outlives this process, whatever ends it (but SIGKILL).
process.on('exit', () => {
  for (const [child, signal] of living) killGroup(child, signal)
})

/** Starts a child and waits until it is ready; one that fails, or is no longer wanted, is stopped again. */
export async function startChild(
  options: ChildOptions,
  whenReady: (child: Child) => Promise<unknown>,
  signal?: AbortSignal,
  timeoutMs = 60_000,
): Promise<Child> {
  signal?.throwIfAborted()
  const child = await spawnChild(options)
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const givenUp = once(limit, 'abort').then(() => {
    signal?.throwIfAborted()
    throw new Error(`${options.name} is not ready after ${timeoutMs / 1000} s.\n${child.tail()}`)
  })
  const ended = child.exited.then((how) => {
    throw new Error(`${options.name} stopped before it was ready (${how}).\n${child.tail()}`)
  })
  givenUp.catch(() => {})
  ended.catch(() => {})
  try {
    await Promise.race([whenReady(child), ended, givenUp])
    return child
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** Runs a child to its end; rejects when it fails. */
export async function runChild(options: ChildOptions, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const child = await spawnChild({ stopGroup: true, ...options })
  const onAbort = () => void child.stop()
  signal?.addEventListener('abort', onAbort)
  const how = await child.exited
  signal?.removeEventListener('abort', onAbort)
  signal?.throwIfAborted()
  if (how !== 'exit code 0') throw new Error(`${options.name} failed (${how}).\n${child.tail()}`)
}

async function spawnChild(options: ChildOptions): Promise<Child> {
  const { name, command, args, cwd, env, uid, gid, onLine, onSpawn } = options
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which then stops all in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.messages ? (['ipc'] as const) : [])],
  })
  await once(child, 'spawn').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`${name} could not be started (${cause.code}): ${command}`, { cause })
  })
  const pid = child.pid as number
  living.set(child, options.killSignal ?? 'SIGKILL')
  onSpawn?.(pid)

  const waiting = new Set<(line: string) => void>()
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > TAIL_LINES) lines.shift()
      onLine?.(line)
      for (const look of waiting) look(line)
    })
  }
  child.on('error', () => {}) // a signal or message that came too late

  const exited = (async () => {
    const closed = once(child, 'close')
    const [code, signal] = await once(child, 'exit')
    living.delete(child)
    // Its last words may still be on the way; a grandchild that keeps the pipe open must not hold us up.
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 200))])
    return signal ? `signal ${signal}` : `exit code ${code}`
  })()

  let stopped: Promise<void> | undefined
  return {
    pid,
    exited,
    tail: () => lines.map((line) => `  ${line}`).join('\n'),
    line: (matches) =>
      new Promise((resolve) => {
        const look = (line: string) => {
          if (!matches(line)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
      }),
    message: (expected) =>
      new Promise((resolve) => {
        child.on('message', (message) => message === expected && resolve())
      }),
    stop: () => {
      stopped ??= stop(child, exited, options)
      return stopped
    },
  }
}

async function stop(child: ChildProcess, exited: Promise<string>, options: ChildOptions): Promise<void> {
  if (!living.has(child)) return
  const signal = options.stopSignal ?? 'SIGTERM'
  if (options.stopGroup) killGroup(child, signal)
  else child.kill(signal)
  const timer = setTimeout(() => killGroup(child, options.killSignal ?? 'SIGKILL'), options.graceMs ?? 10_000)
  await exited
  clearTimeout(timer)
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), signal)
  } catch {
    child.kill(signal)
  }
}
