/** The effect of a request: the same however often the request is run. */
import { v7 as newId } from 'uuid'
import { type Database, violatedConstraint } from '../db/connection/database.ts'
import type { Deps } from './deps.ts'

/** Identifies the effect of a request that may be run again. */
export interface Effect {
  /** The id of what the request creates, or of its command. */
  readonly id: string
  /** An earlier run ended without an answer, so its effect may exist already. */
  readonly isRerun: boolean
}

/** The effect of a request whose answer is stored with it if the caller sent an Idempotency-Key. */
export interface Commit<T> extends Effect {
  /** Whether the answer is stored. */
  readonly isKeyed: boolean
  /** Runs `work` in one transaction that also stores the answer, so that neither exists without the other. */
  commit(work: (tx: Database) => Promise<T>): Promise<T>
}

/** Returns the effect of a request that is run once. */
export const newEffect = (): Effect => ({ id: newId(), isRerun: false })

/** A form was sent twice: the first time created what it names. */
export class AlreadyCreated extends Error {
  override readonly name = 'AlreadyCreated'
}

/**
 * Returns the effect of a form, whose answer is not stored. A form may name the id of what it creates: its commit throws
 * AlreadyCreated if that exists.
 */
export const formEffect = <T>({ db }: Pick<Deps, 'db'>, id: string | undefined = undefined): Commit<T> => ({
  id: id ?? newId(),
  isRerun: id !== undefined,
  isKeyed: false,
  commit: (work) =>
    work(db).catch((error: unknown) => {
      const isCreated = violatedConstraint(error)?.endsWith('_pkey') ?? false
      throw isCreated ? new AlreadyCreated('the resource already exists', { cause: error }) : error
    }),
})
