/** What each command and fact makes of an identification, and which events that causes. Pure. */
import type { Problem } from './errors.ts'
import type { GatehouseEvent } from './events.ts'
import { type Hold, type HoldOwner, isCase, SERVICES, type Service, servicesOf } from './holds.ts'
import {
  decideIdentification,
  type IdentificationCommandKind,
  type IdentificationFact,
  type IdentificationState,
  identificationEnded,
  identificationStatus,
  MOVES,
  type MoveKind,
} from './identification.ts'

export interface Account {
  readonly id: string
  /** 8 characters that people can read out. */
  readonly referral: string
}

/** What is known of the person or company where no KYB application says it. */
export type Profile = Readonly<Record<string, string>>

export interface IdentificationRecord {
  readonly id: string
  readonly externalUuid: string
  readonly state: IdentificationState
  readonly profile: Profile
  /** Oldest first. */
  readonly accounts: readonly Account[]
  /** Whether the vault has internal settlements, so that blocks cover them too. */
  readonly internalSettlements: boolean
}

export type IdentificationCommand =
  | { readonly kind: 'close' | 'unblock' | MoveKind }
  | { readonly kind: 'block'; readonly holdId: string }
  | { readonly kind: 'edit_profile'; readonly changes: Profile }
  | { readonly kind: 'add_account'; readonly account: Account }

/** A client's own hold, and the hold that closing an approved identification leaves, need an id. */
export interface TransitionContext {
  readonly newId: () => string
}

export interface IdentificationTransition<R> {
  readonly record: R
  readonly events: readonly GatehouseEvent[]
}

/** The identification after the command, or why not. Nothing changed means the same record, no event. */
export function transitionIdentification<R extends IdentificationRecord>(
  record: R,
  command: IdentificationCommand,
  context: TransitionContext,
): IdentificationTransition<R> | { readonly problems: readonly Problem[] } {
  const { state } = record
  const refusal = decideIdentification(state, command.kind)
  if (refusal) return { problems: [refusal] }
  switch (command.kind) {
    case 'close':
      return changed(record, close(record, context))
    case 'block':
      return changed(record, block(record, command.holdId))
    case 'unblock':
      return changed(record, { ...record, state: { ...state, holds: state.holds.filter(isCase) } })
    case 'edit_profile':
      return editProfile(record, command.changes)
    case 'add_account':
      return changed(record, { ...record, accounts: [...record.accounts, command.account] })
    default:
      return changed(record, moved(record, command.kind))
  }
}

const moved = <R extends IdentificationRecord>(record: R, kind: MoveKind): R => {
  const { to: verification, waitingOn } = MOVES[kind]
  return { ...record, state: { ...record.state, verification, waitingOn } }
}

const held = <R extends IdentificationRecord>(
  record: R,
  id: string,
  owner: HoldOwner,
  services: readonly Service[] = servicesOf(record.internalSettlements),
): R => {
  const hold: Hold = { id, owner, services }
  return { ...record, state: { ...record.state, holds: [...record.state.holds, hold] } }
}

/** Before verification finished it ends the identification; afterwards it blocks it for good. */
function close<R extends IdentificationRecord>(record: R, { newId }: TransitionContext): R {
  if (record.state.verification === 'approved') return held(record, newId(), 'closure', SERVICES)
  return { ...record, state: { ...record.state, verification: 'closed', waitingOn: 'nobody' } }
}

/** The client has one hold of its own at the most. */
function block<R extends IdentificationRecord>(record: R, holdId: string): R {
  const own = record.state.holds.some((hold) => !isCase(hold))
  return own ? record : held(record, holdId, 'client')
}

/**
 * Names are what was verified: they change only until then. Who was asked for more has
 * answered by it; a check that is under way saw other data, so its result no longer decides.
 */
function editProfile<R extends IdentificationRecord>(record: R, changes: Profile) {
  if (record.state.verification !== 'initiated') {
    const fixed = ['name', 'surname'].filter((field) => field in changes)
    if (fixed.length > 0)
      return { problems: fixed.map((field) => ({ code: 'already_verified', field }) as const) }
  }
  const profile = { ...record.profile, ...changes }
  const same = JSON.stringify(profile) === JSON.stringify(record.profile)
  const { state } = record
  const answered = (state.waitingOn === 'client' || state.waitingOn === 'provider') && !state.awaitsKyb
  const next = { ...record, profile, state: answered ? { ...state, waitingOn: 'operator' as const } : state }
  return changed(record, same ? record : next)
}

/** The identification after a fact; the same record when the fact comes too late to change anything. */
export function followFact<R extends IdentificationRecord>(
  record: R,
  fact: IdentificationFact,
): IdentificationTransition<R> {
  return changed(record, afterFact(record, fact))
}

const MOVE_OF = { approved: 'approve', rejected: 'reject', attention: 'call_attention' } as const

function afterFact<R extends IdentificationRecord>(record: R, fact: IdentificationFact): R {
  const { state } = record
  if (identificationEnded(state)) return record
  switch (fact.kind) {
    case 'kyb_processed': {
      const next = { ...record, state: { ...state, awaitsKyb: false } }
      return allows(next, MOVE_OF[fact.outcome]) ? moved(next, MOVE_OF[fact.outcome]) : record
    }
    case 'check_finished': {
      if (state.waitingOn !== 'provider') return record
      if (fact.outcome === 'manual') return { ...record, state: { ...state, waitingOn: 'operator' } }
      return allows(record, MOVE_OF[fact.outcome]) ? moved(record, MOVE_OF[fact.outcome]) : record
    }
    case 'case_opened': {
      const known = state.holds.some((hold) => hold.id === fact.caseId)
      const full = state.holds.length >= MAX_HOLDS
      return known || full ? record : held(record, fact.caseId, fact.owner, fact.services)
    }
    case 'case_closed': {
      const holds = state.holds.filter((hold) => !(hold.id === fact.caseId && isCase(hold)))
      return holds.length === state.holds.length ? record : { ...record, state: { ...state, holds } }
    }
  }
}

/** What a workflow carries is bounded. */
export const MAX_HOLDS = 100

const allows = ({ state }: IdentificationRecord, kind: IdentificationCommandKind) =>
  decideIdentification(state, kind) === null

/** The version rises with every change; events follow from the two states. */
function changed<R extends IdentificationRecord>(before: R, after: R): IdentificationTransition<R> {
  if (after === before) return { record: before, events: [] }
  const record = { ...after, state: { ...after.state, version: before.state.version + 1 } }
  return { record, events: [...statusEvents(before, record), ...accountEvents(before, record)] }
}

function statusEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const [from, to] = [identificationStatus(before.state), identificationStatus(after.state)]
  if (from === to) return []
  const name = `identification_${from === 'blocked' && to === 'approved' ? 'unblocked' : to}` as const
  return [{ name, attributes: { ...resource(after), external_uuid: after.externalUuid, status: to } }]
}

const resource = ({ id, state }: IdentificationRecord) => ({
  identification_uuid: id,
  version: state.version,
})

/** Sent once per account that becomes fully blocked or free again; new ones are announced first. */
function accountEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const wasLocked = identificationStatus(before.state) === 'blocked'
  const isLocked = identificationStatus(after.state) === 'blocked'
  const status = isLocked ? 'locked' : 'active'
  return after.accounts.flatMap((account): GatehouseEvent[] => {
    const isNew = !before.accounts.some(({ id }) => id === account.id)
    const attributes = { ...resource(after), account_uuid: account.id, status }
    const created: GatehouseEvent[] = isNew ? [{ name: 'account_created', attributes }] : []
    if (isLocked === (isNew ? false : wasLocked)) return created
    return [...created, { name: isLocked ? 'account_locked' : 'account_unlocked', attributes }]
  })
}

/** Sent when an identification is created, whatever its first status. */
export function creationEvents(record: IdentificationRecord): GatehouseEvent[] {
  const status = identificationStatus(record.state)
  return [
    {
      name: 'identification_created',
      attributes: { ...resource(record), external_uuid: record.externalUuid, status },
    },
    ...record.accounts.map(
      ({ id }): GatehouseEvent => ({
        name: 'account_created',
        attributes: { ...resource(record), account_uuid: id, status: 'active' },
      }),
    ),
  ]
}

/** One service of one account, blocked by one hold. */
export interface ServiceBlock {
  readonly holdId: string
  readonly accountId: string
  readonly service: Service
}

/** Holds on an identification that is not approved yet block nothing; they take effect on approval. */
export function serviceBlocks({ state, accounts }: IdentificationRecord): ServiceBlock[] {
  if (state.verification !== 'approved') return []
  return state.holds.flatMap((hold) =>
    accounts.flatMap(({ id }) =>
      hold.services.map((service) => ({ holdId: hold.id, accountId: id, service })),
    ),
  )
}
