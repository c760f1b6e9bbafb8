/** Identifies the effect of a request, so that a repeated run does not have a second effect. */
import { v7 as newId } from 'uuid'
import { claimForm } from '../../db/access/idempotency-key.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import type { By } from '../../domain/access/audit.ts'
import type { WithDb } from './deps.ts'

/** The effect of a request that may run again. */
export interface Effect {
  /** The ID of the created resource or of the command. */
  readonly id: string
  /** Whether an earlier run ended without a response. The effect of that run may exist. */
  readonly isRerun: boolean
}

/** The effect of a request. If the caller sent an Idempotency-Key, the response is stored with the effect. */
export interface Commit<T> extends Effect {
  /** Whether the request has a key, so that its response is stored. */
  readonly isKeyed: boolean
  /** Runs `work` in the transaction that stores the response, so that neither exists without the other. */
  commit(work: (tx: Database) => Promise<T>): Promise<T>
}

/** Runs `work` in one transaction, which also stores the response. */
export const commitTogether = <T>({ commit }: Commit<T>, work: (tx: Database) => Promise<T>): Promise<T> =>
  commit((db) => transaction(db, work))

/** Returns a new effect, for a request that is never repeated. */
export const newEffect = (): Effect => ({ id: newId(), isRerun: false })

/** Thrown if a form is submitted again and the first submission has already taken effect. */
export class AlreadyCreated extends Error {
  override readonly name = 'AlreadyCreated'
}

/**
 * Returns the effect of a form, whose response is not stored. If a resource with the form's ID exists, the
 * commit throws AlreadyCreated.
 */
export const formEffect = <T>({ db }: WithDb, id: string | null = null): Commit<T> => ({
  id: id ?? newId(),
  isRerun: id !== null,
  isKeyed: false,
  commit: (work) =>
    work(db).catch((error: unknown) => {
      const isCreated = violatedConstraint(error)?.endsWith('_pkey') ?? false
      throw isCreated ? new AlreadyCreated('the resource already exists', { cause: error }) : error
    }),
})

/**
 * Returns the effect of a form that replaces a secret, for which no new resource has the form's ID. If the caller has
 * already submitted the form, the commit throws AlreadyCreated. A form without an ID takes effect each time.
 */
export const onceEffect = <T>({ db }: WithDb, { actor }: By, formId: string | null): Commit<T> => {
  const effect = newEffect()
  return {
    ...effect,
    isKeyed: false,
    commit: (work) =>
      transaction(db, async (tx) => {
        const scope = tx.encryption.hash(`${actor} ${formId}`, 'idempotency_key').toString('hex')
        if (formId !== null && !(await claimForm(tx, scope, effect.id)))
          throw new AlreadyCreated('the form was already submitted')
        return work(tx)
      }),
  }
}
