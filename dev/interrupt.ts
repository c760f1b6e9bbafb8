/** Turns Ctrl-C and its like into one request to stop, and a second Ctrl-C into an end at once. */

/** npm passes the terminal's Ctrl-C on, so that one press arrives twice; nobody presses again this soon. */
const SAME_PRESS_MS = 500

export function stopOnSignals(say: (line: string) => void): AbortSignal {
  const stop = new AbortController()
  let first: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now()
      say('\nStopping (Ctrl-C again to stop at once) ...')
      stop.abort(new Error(`stopped by ${signal}`))
    } else if (performance.now() - first > SAME_PRESS_MS) {
      say('Stopped at once.')
      process.exit(130)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  return stop.signal
}

/** Waits for work that cannot itself be stopped, but no longer than until everything shall stop. */
export async function unlessStopped<T>(stopped: AbortSignal, work: Promise<T>): Promise<T> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(stopped.reason)
    if (stopped.aborted) onAbort()
    stopped.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stopped.removeEventListener('abort', onAbort)
  }
}
