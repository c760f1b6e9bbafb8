/** KYB applications (specification, "KYB applications"). */
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { v7 as newId } from 'uuid'
import { createCounter } from '../access/counter.ts'
import { idParams, listAnswer } from '../contracts/common.ts'
import {
  createKyb,
  kybAnswer,
  kybAuthenticated,
  kybCreated,
  kybExists,
  kybList,
  kybUpdated,
  listKyb,
  patchKyb,
  validatePassword,
} from '../contracts/kyb-application.ts'
import type { AppliedCommand } from '../db/command.ts'
import type { Database } from '../db/database.ts'
import {
  findKybApplication,
  isKybPassword,
  listKybApplications,
  vaultOfKybApplication,
} from '../db/kyb-application.ts'
import { createKyb as createKybApplication } from '../db/kyb-creation.ts'
import type { ClientRole } from '../domain/access.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { KybPatch } from '../domain/kyb-content.ts'
import { type KybCommand, transitionKyb } from '../domain/kyb-transition.ts'
import { addressKey } from './address.ts'
import { type Caller, vaultFor, vaultHolding } from './authentication.ts'
import { startCreated } from './creation.ts'
import type { AppDeps } from './deps.ts'
import type { Effect } from './idempotency.ts'
import { presentKyb } from './kyb-answer.ts'
import { type Route, route } from './route.ts'

const WRONG_TRIES = { points: 5, duration: 60 }

export function kybApplicationRoutes(deps: AppDeps): Route[] {
  const { db, config } = deps
  const present = presentKyb(config.PUBLIC_URL)
  const tries = createCounter(deps.db, { keyPrefix: 'kyb_password', ...WRONG_TRIES })

  return [
    route({
      method: 'get',
      path: '/kyb',
      role: 'api_read',
      summary: 'List applications, newest first',
      response: { 200: kybList },
      query: listKyb,
      handler: async ({ caller, query }) => {
        const { applications, totalCount } = await listKybApplications(
          db,
          vaultFor(caller, 'api_read'),
          query,
        )
        return { body: listAnswer(applications.map(present), totalCount, query) }
      },
    }),
    route({
      method: 'post',
      path: '/kyb',
      role: 'api_write',
      summary: 'Create an application with its company’s identification and account',
      errors: ['external_id_taken', 'unknown_file'],
      response: { 201: kybCreated },
      body: createKyb,
      handler: ({ caller, body, effect }) => {
        const { external_id: externalId, client_kyc: clientKyc, internal, ...sections } = body
        const vaultId = vaultFor(caller, 'api_write')
        return effect.commit(async (tx) => {
          const created = await createKybApplication(tx, {
            vaultId,
            externalId,
            clientKyc,
            internal,
            sections: sections as KybPatch,
            actor: caller.actor,
            origin: 'kyb_application',
          })
          const body = { data: present(created.application), generated_password: created.password }
          const afterwards = () =>
            startCreated(deps, created.webhookLogIds, [
              { entity: 'kyb', id: created.id, vaultId },
              { entity: 'identification', id: created.identificationId, vaultId },
            ])
          return { answer: { status: 201, body }, afterwards }
        })
      },
    }),
    route({
      method: 'get',
      path: '/kyb/:id',
      role: 'api_read',
      summary: 'Read an application',
      response: { 200: kybAnswer },
      params: idParams,
      handler: async ({ caller, params }) => {
        const application = await findKybApplication(
          db,
          await vaultOfKyb(db, caller, 'api_read', params.id),
          params.id,
        )
        if (!application) throw new RequestRefused({ code: 'not_found' })
        return { body: { data: present(application) } }
      },
    }),
    route({
      method: 'patch',
      path: '/kyb/:id',
      role: 'api_write',
      summary: 'Fill in or change parts of an application',
      errors: ['kyb_processed', 'kyb_abandoned', 'unknown_file', 'unknown_beneficiary'],
      response: { 200: kybUpdated },
      params: idParams,
      body: patchKyb,
      handler: async ({ caller, params: { id }, body, effect }) => {
        const ref = { id, vaultId: await vaultOfKyb(db, caller, 'api_write', id) }
        await runKybCommand(deps, caller, effect, ref, { kind: 'patch', patch: body as KybPatch })
        return { body: { message: 'KYB application updated' } }
      },
    }),
    route({
      method: 'get',
      path: '/kyb/validate/:id',
      role: 'api_read',
      summary: 'Tell whether there is such an application',
      response: { 200: kybExists },
      params: idParams,
      handler: async ({ caller, params }) => {
        const application = await findKybApplication(
          db,
          await vaultOfKyb(db, caller, 'api_read', params.id),
          params.id,
        )
        return { body: { exists: application !== null } }
      },
    }),
    route({
      method: 'post',
      path: '/kyb/validate_password/:id',
      role: 'api_read',
      summary: 'Check the generated password of an application',
      errors: ['too_many_attempts'],
      response: { 200: kybAuthenticated },
      repeatable: true,
      params: idParams,
      body: validatePassword,
      handler: async ({ caller, params, body, req, res }) => {
        const vaultId = await vaultOfKyb(db, caller, 'api_read', params.id)
        const key = `${params.id}:${addressKey(db.encryption, req)}`
        // Counted before the check, so that tries at the same time cannot outrun the limit.
        await tries.consume(key).catch((rejection: RateLimiterRes | Error) => {
          if (rejection instanceof Error) throw rejection
          res.setHeader('Retry-After', Math.ceil(rejection.msBeforeNext / 1000))
          throw new RequestRefused({ code: 'too_many_attempts' })
        })
        const authenticate = await isKybPassword(db, vaultId, params.id, body.password)
        if (authenticate) await tries.reward(key)
        return { body: { authenticate } }
      },
    }),
  ]
}

/** The vault among the caller's that holds the application. */
export const vaultOfKyb = (db: Database, caller: Caller, role: ClientRole, id: string): Promise<string> =>
  vaultHolding(caller, role, () => vaultOfKybApplication(db, id))

export interface KybRef {
  readonly id: string
  readonly vaultId: string
}

/**
 * Refuses what the application as it is now refuses, then sends the command to its workflow. Gives the
 * command of an earlier run of the same request when that was applied. `particulars` are kept with it.
 */
export async function runKybCommand(
  { db, gateway }: AppDeps,
  caller: Caller,
  effect: Effect,
  { id, vaultId }: KybRef,
  command: KybCommand,
  particulars: object = {},
): Promise<AppliedCommand | null> {
  const application = await findKybApplication(db, vaultId, id)
  if (!application) throw new RequestRefused({ code: 'not_found' })
  const earlier = await gateway.earlier(effect)
  if (earlier) return earlier
  const trial = transitionKyb(application, command, { now: new Date(), newId })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  const { kind, ...rest } = command
  const target = { entity: 'kyb', id, vaultId } as const
  const payload = { ...rest, ...particulars }
  await gateway.run({ target, kind, payload, actor: caller.actor, id: effect.id })
  return null
}
