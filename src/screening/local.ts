/** Screens with the lists of a folder in a separate thread. */
import { Worker } from 'node:worker_threads'
import type { Match } from '../domain/screening/screening.ts'
import { SettingsError } from '../process/settings-error.ts'
import type { ListSettings } from './list.ts'
import type { Answer, ListCalls, Question } from './local-thread.ts'
import type { Screener } from './screener.ts'

const isSource = import.meta.url.endsWith('.ts')
const THREAD = new URL(isSource ? './local-thread.ts' : './local-thread.js', import.meta.url)

type Ask = <N extends keyof ListCalls>(
  call: N,
  ...argument: Parameters<ListCalls[N]>
) => Promise<Awaited<ReturnType<ListCalls[N]>>>

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Starts the thread at the first call, and starts another thread if it ends. The thread does not keep the process
 * alive.
 */
function startThread(settings: ListSettings): Ask {
  const pending = new Map<number, Pending>()
  let thread: Worker | null = null
  let questions = 0

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: settings })
    started.unref()
    started.on('message', ({ id, result, failure }: Answer) => {
      const asked = pending.get(id)
      pending.delete(id)
      if (!failure) asked?.resolve(result)
      else
        asked?.reject(failure.isOfSettings ? new SettingsError(failure.message) : new Error(failure.message))
    })
    const end = (error: Error) => {
      // The event `exit` follows `error`. By then, the pending questions belong to another thread.
      if (thread !== started) return
      thread = null
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    }
    started.on('error', end)
    started.on('exit', () => end(new Error('the screening thread ended')))
    return started
  }

  return (call, ...[argument]) =>
    new Promise((resolve, reject) => {
      thread ??= start()
      const id = ++questions
      pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      thread.postMessage({ id, call, argument } satisfies Question)
    })
}

/**
 * The threads, keyed by settings. Screeners with the same settings share a thread, so that the list is in memory only
 * once.
 */
const threads = new Map<string, Ask>()

export function createLocalScreener(settings: ListSettings): Screener {
  const key = JSON.stringify(settings)
  const ask = threads.get(key) ?? startThread(settings)
  threads.set(key, ask)
  return {
    version: () => ask('version'),
    changes: { current: () => ask('current'), matchNew: (query) => ask('matchNew', query) },
    async match(subjects) {
      const matches = new Map<string, readonly Match[]>()
      // Sends one subject at a time, so that concurrent runs alternate in the thread.
      for (const subject of subjects) matches.set(subject.key, await ask('match', subject))
      return matches
    },
  }
}
