/**
 * Decodes untrusted files in child processes. A decoder cannot be interrupted, so its process is killed if the file takes
 * too long or too much memory. Idle processes end.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Decoders, Request, Response } from './decoder-process.ts'
import { AnimationRefused, ImageRefused } from './refusal.ts'

const isSource = import.meta.url.endsWith('.ts')
const SCRIPT = fileURLToPath(
  new URL(isSource ? './decoder-process.ts' : './decoder-process.js', import.meta.url),
)

/** Prevents a decoder from writing files and from starting processes. */
const RESTRICTED = ['--permission', '--allow-fs-read=*', '--allow-addons', '--no-warnings']
const START_MS = 20_000
const IDLE_MS = 20_000
const MEMORY_CHECK_MS = 100
const PAGE_BYTES = 4_096

const LIMITS = {
  /** Several times longer than the slowest accepted file takes. */
  deadlineMs: 8_000,
  /** The largest accepted image takes half of this. */
  maxResidentBytes: 1_200_000_000,
}
type Limits = typeof LIMITS

/** Starts a process without the environment, which contains secrets. */
async function start(): Promise<ChildProcess> {
  const stdio = ['pipe', 'ignore', 'ignore', 'ipc'] as const
  const child = fork(SCRIPT, { execArgv: RESTRICTED, env: {}, serialization: 'advanced', stdio: [...stdio] })
  // A process that was stopped does not read its input.
  child.stdin?.on('error', () => {})
  try {
    await receive(child, { ...LIMITS, deadlineMs: START_MS })
    return child
  } catch (cause) {
    throw new Error('the decoder process did not start', { cause })
  }
}

/** Returns the next message of the process. Kills the process and throws if it ends or exceeds a limit. */
function receive(child: ChildProcess, { deadlineMs, maxResidentBytes }: Limits): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (reason: string) => {
      child.kill('SIGKILL')
      child.stdin?.destroy()
      settle(() => reject(new ImageRefused(`the decoder was stopped: ${reason}`)))
    }
    const late = setTimeout(() => stop('too slow'), deadlineMs)
    const watch = setInterval(async () => {
      if ((await readResidentBytes(child)) > maxResidentBytes) stop('too much memory')
    }, MEMORY_CHECK_MS)
    // The caller may free the bytes of the file, so they must not be read after the response.
    const onMessage = (message: unknown) =>
      child.stdin?.writableLength ? stop('it responded early') : settle(() => resolve(message))
    const onExit = () => stop('it ended')
    const onError = ({ message }: Error) => stop(message)
    const settle = (how: () => void) => {
      clearTimeout(late)
      clearInterval(watch)
      child.off('message', onMessage).off('exit', onExit).off('error', onError)
      how()
    }
    child.once('message', onMessage).once('exit', onExit).once('error', onError)
  })
}

/** Returns the memory of the process on Linux, and 0 on other systems. */
const readResidentBytes = ({ pid }: ChildProcess): Promise<number> =>
  readFile(`/proc/${pid}/statm`, 'utf8').then(
    (text) => Number(text.split(' ')[1]) * PAGE_BYTES,
    () => 0,
  )

/** The processes without work, which end after a while. */
const idle = new Map<ChildProcess, NodeJS.Timeout>()

const handlesOf = (child: ChildProcess) =>
  [child, child.channel, child.stdin as Socket | null].filter((each) => !!each)

function keep(child: ChildProcess): void {
  const end = () => {
    idle.delete(child)
    if (child.connected) child.disconnect()
  }
  idle.set(child, setTimeout(end, IDLE_MS).unref())
  // An idle process does not keep this one alive.
  for (const each of handlesOf(child)) each.unref()
}

function takeIdle(): ChildProcess | null {
  for (const [child, end] of idle) {
    clearTimeout(end)
    idle.delete(child)
    if (!child.connected) continue
    for (const each of handlesOf(child)) each.ref()
    return child
  }
  return null
}

/** Runs a decoder. Throws ImageRefused if the file cannot be decoded within the limits. */
type Decode = <N extends keyof Decoders>(
  decoder: N,
  ...input: Parameters<Decoders[N]>
) => Promise<Awaited<ReturnType<Decoders[N]>>>

export const createDecoder =
  (limits: Partial<Limits> = {}): Decode =>
  async (decoder, bytes, ...options) => {
    const child = takeIdle() ?? (await start())
    const received = receive(child, { ...LIMITS, ...limits })
    const request: Request = { decoder, size: bytes.length, options }
    child.send(request, (error) => error && child.kill('SIGKILL'))
    child.stdin?.write(bytes)
    const response = (await received) as Response
    keep(child)
    if ('failure' in response) throw new Error(`the decoder failed: ${response.failure}`)
    if ('refusal' in response)
      throw response.refusal === 'animation' ? new AnimationRefused() : new ImageRefused()
    return response.result as never
  }

/** Decodes a file in a process of its own. The caller limits the number of concurrent calls. */
export const decode = createDecoder()
