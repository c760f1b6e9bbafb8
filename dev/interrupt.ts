/** Turns Ctrl-C and SIGTERM into a request to stop, and a second Ctrl-C into an immediate exit. */

/** npm repeats the terminal's Ctrl-C, so one key press arrives twice within this time. */
const REPEATED_SIGNAL_MS = 500

export function stopOnSignals(say: (line: string) => void): AbortSignal {
  const stop = new AbortController()
  let first: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now()
      say('\nStopping (press Ctrl-C again to stop immediately) ...')
      stop.abort(new Error(`stopped by ${signal}`))
    } else if (performance.now() - first > REPEATED_SIGNAL_MS) {
      say('Stopped immediately.')
      process.exit(130)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  return stop.signal
}

/** Waits for work that cannot be cancelled. Stops waiting if the process is asked to stop. */
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
