/** The thread that keeps the list of a folder and compares subjects with it, so that the process remains responsive. */
import { parentPort, workerData } from 'node:worker_threads'
import { SettingsError } from '../process/settings-error.ts'
import { createList, type ListSettings } from './list.ts'

/** The calls that the thread accepts, keyed by name. Each has one argument. */
export type ListCalls = ReturnType<typeof createList>

export interface Question {
  readonly id: number
  readonly call: keyof ListCalls
  readonly argument: unknown
}

export interface Answer {
  readonly id: number
  readonly result?: unknown
  /** The failure of the call. The message is set for the log if the error concerns the settings. */
  readonly failure?: { readonly message: string; readonly isOfSettings: boolean }
}

const calls = createList(workerData as ListSettings)

async function answer({ id, call, argument }: Question): Promise<Answer> {
  try {
    return { id, result: await (calls[call] as (argument: unknown) => Promise<unknown>)(argument) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { id, failure: { message, isOfSettings: error instanceof SettingsError } }
  }
}

parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answer(question))
})
