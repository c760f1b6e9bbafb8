/**
 * Activities that apply commands and facts, for both kinds of entity. One transaction applies a batch of commands, each
 * at most once, or one fact.
 */
import { v7 as newId } from 'uuid'
import { getCommandsForUpdate, type LockedCommand, markApplied } from '../src/db/commands/command.ts'
import { settleFact } from '../src/db/commands/pending-fact.ts'
import { appendTimeline, isInTimeline, untrueCauseId } from '../src/db/commands/timeline.ts'
import { type Database, transaction, withSpan } from '../src/db/connection/database.ts'
import { insertNotices } from '../src/db/email/notice.ts'
import { attachFile } from '../src/db/files/file.ts'
import { renewAssignment } from '../src/db/lists/assignment.ts'
import { insertWebhookLogs } from '../src/db/webhooks/outbox.ts'
import type { Problem } from '../src/domain/base/errors.ts'
import { storedKind } from '../src/domain/base/fact.ts'
import type { FileOwner } from '../src/domain/base/file.ts'
import { noticesOf } from '../src/domain/email/notice.ts'
import type {
  Commands,
  Entity,
  EntityRef,
  Facts,
  Ref,
  Snapshots,
  States,
} from '../src/domain/entity/entity.ts'
import type { Records } from '../src/domain/entity/rules.ts'
import type { ChangedPaths } from '../src/domain/review/changed-paths.ts'
import type { GatehouseEvent } from '../src/domain/webhook/events.ts'
import type { Span } from '../src/process/span.ts'
import { ENTITIES } from '../src/temporal/entities.ts'
import { trySendFacts } from '../src/temporal/facts.ts'
import type { CommandsInput, CommandsResult, FactInput, Transition } from '../workflows/activities.ts'
import type { CommandOutcome } from '../workflows/messages.ts'
import { droppedBy, type Entry, entriesOf } from './decision-entries.ts'
import type { ActivityDeps } from './deps.ts'
import { recordMalformedFact } from './fact-cause.ts'
import { removeFiles } from './removed-files.ts'
import { inCommandSpans, inFactSpan } from './spans.ts'

/** Work to do after the commit. Housekeeping completes any work that fails then. */
interface AfterCommit {
  readonly webhookLogIds: string[]
  readonly erasedFiles: string[]
  /** True if facts must reach other entities before the response. */
  hasFacts: boolean
  /** True if emails must be sent. */
  hasEmails: boolean
  /** The entities that must be screened. */
  readonly unscreened: EntityRef[]
}

interface Changed<E extends Entity> {
  readonly record: Records[E]
  readonly events: readonly GatehouseEvent[]
}

type Refused = { readonly problems: readonly Problem[] }

/** A change to write. The first entry is about the change itself. */
export interface Change<E extends Entity> extends Changed<E> {
  readonly before: Records[E]
  readonly entries: readonly Entry[]
  readonly after: AfterCommit
}

/** The part that differs between applications and identifications. `K` is a fact with the data of its rows. */
export interface EntityKind<E extends Entity, K> {
  readonly entity: E
  readonly ownerOf: (record: Records[E]) => FileOwner
  readonly changedPaths: (before: Records[E], after: Records[E]) => ChangedPaths
  /** Returns the record to which the command applies, or why another entity forbids the command. */
  prepare(
    tx: Database,
    record: Records[E],
    command: Commands[E],
    write: (change: Omit<Change<E>, 'after'>) => Promise<Records[E]>,
  ): Promise<Records[E] | Refused>
  transition(record: Records[E], row: LockedCommand<E>, now: Date): Changed<E> | Refused
  /** Inserts the rows that the command creates. Returns further details of its timeline entry. */
  insert?(
    tx: Database,
    change: Changed<E> & { before: Records[E] },
    row: LockedCommand<E>,
  ): Promise<Partial<Entry>>
  /** Writes the record, with the facts that follow from it. Returns the record with new data of its rows. */
  save(tx: Database, change: Change<E>): Promise<Records[E]>
  parseFact(message: unknown): Facts[E] | null
  /** Runs before the transaction that applies a fact. */
  beforeFact?(fact: Facts[E], ref: Ref): Promise<void>
  /** Takes the locks that every transaction takes before that of the entity. */
  lockFirst?(tx: Database, fact: Facts[E], id: string): Promise<void>
  /**
   * Returns the actor of the fact and its data. Returns null if the rows contradict the fact, because every client of
   * Temporal can send messages.
   */
  causeOf(tx: Database, record: Records[E], fact: Facts[E]): Promise<{ actor: string; fact: K } | null>
  transitionOnFact(record: Records[E], fact: K, now: Date): Changed<E>
  reasonOf?(fact: K): string | undefined
  /** Runs after a fact that changed nothing, and after one that changed the entity. */
  withoutEffect?(tx: Database, fact: Facts[E], id: string): Promise<void>
  withEffect?(tx: Database, fact: Facts[E], before: Records[E], after: AfterCommit): Promise<void>
}

const WITHDRAWN: CommandOutcome = { outcome: 'withdrawn' }

/** One call of an activity, for an entity of this kind. */
interface Call<E extends Entity, K> {
  readonly kind: EntityKind<E, K>
  readonly target: EntityRef<E>
  readonly sendsEmails: boolean
  readonly after: AfterCommit
}

export function createEntityActivities<E extends Entity, K>(deps: ActivityDeps, kind: EntityKind<E, K>) {
  const { db } = deps
  const { entity } = kind

  async function withWorkAfterCommit<T>({ id, vaultId }: Ref, work: (call: Call<E, K>) => Promise<T>) {
    const after: AfterCommit = {
      ...{ webhookLogIds: [], erasedFiles: [], unscreened: [] },
      ...{ hasFacts: false, hasEmails: false },
    }
    const target = { entity, id, vaultId }
    const result = await work({ kind, target, sendsEmails: deps.mailer !== null, after })
    await workAfterCommit(deps, id, after)
    return result
  }

  return {
    applyCommands: (input: CommandsInput): Promise<CommandsResult<Snapshots[E]>> =>
      withWorkAfterCommit(input, (call) =>
        inCommandSpans(db, 'apply command', call.target, input.commandIds, (own, spanOf) =>
          transaction(own, (tx) => applyCommands(tx, call, input, spanOf)),
        ),
      ),

    async applyFact(input: FactInput): Promise<Transition<Snapshots[E]>> {
      const { id, vaultId, malformedId } = input
      const fact = kind.parseFact(input.fact)
      if (!fact) {
        await recordMalformedFact(db, { entity, id, vaultId }, malformedId)
        return { outcome: 'applied', state: null }
      }
      await kind.beforeFact?.(fact, input)
      return withWorkAfterCommit(input, (call) =>
        inFactSpan(db, 'apply fact', call.target, fact, (own) =>
          transaction(own, (tx) => applyFact(tx, call, input.version, fact)),
        ),
      )
    },

    async load({ id, vaultId }: Ref): Promise<Transition<Snapshots[E]>> {
      const state = await ENTITIES[entity].readSnapshot(db, vaultId, id)
      if (!state) throw missing()
      return { outcome: 'applied', state }
    },
  }
}

async function workAfterCommit(deps: ActivityDeps, id: string, after: AfterCommit): Promise<void> {
  const { db, blobs, temporal, starter, dispatcher, screening, log } = deps
  dispatcher.notify(after.webhookLogIds)
  if (after.hasEmails) starter.wake()
  if (after.hasFacts) await trySendFacts({ db, temporal, log }, id)
  await removeFiles({ db, blobs }, after.erasedFiles).catch((err) =>
    log.warn({ err }, 'erased files were not deleted; housekeeping will delete them'),
  )
  // Does not wait for the screening, because the sender of the command would have to wait, too.
  for (const unscreened of after.unscreened) void screening.screen(unscreened)
}

const missing = () => new Error('the entity of the workflow is not in the database')

const statusOf = <E extends Entity>(entity: E, { state }: Records[E]) =>
  ENTITIES[entity].status(state as States[E])

/** Writes a changed record with its timeline and its events. */
async function write<E extends Entity, K>(
  tx: Database,
  { kind, target, sendsEmails, after }: Call<E, K>,
  change: Omit<Change<E>, 'after'>,
): Promise<Records[E]> {
  const { before, record, events, entries } = change
  const turn = { from: statusOf(kind.entity, before), to: statusOf(kind.entity, record) }
  for (const entry of entries) await appendTimeline(tx, target, { ...entry, ...turn })
  const saved = await kind.save(tx, { ...change, after })
  after.webhookLogIds.push(...(await insertWebhookLogs(tx, target.vaultId, events)))
  if (sendsEmails && (await insertNotices(tx, target, noticesOf(before, record, events))))
    after.hasEmails = true
  return saved
}

async function applyCommand<E extends Entity, K>(
  tx: Database,
  call: Call<E, K>,
  read: Records[E],
  row: LockedCommand<E>,
): Promise<{ readonly record: Records[E]; readonly problems?: readonly Problem[] }> {
  const { kind } = call
  const { command } = row
  const before = await kind.prepare(tx, read, command, (change) => write(tx, call, change))
  if ('problems' in before) return { record: read, ...before }
  const result = kind.transition(before, row, new Date())
  // A change that `prepare` has written remains, even if the command is refused.
  if ('problems' in result) return { record: before, problems: result.problems }
  if (result.record === before) return { record: before }
  if ('fileId' in command && command.kind !== 'detach' && command.fileId !== undefined) {
    const isAttached = await attachFile(tx, kind.ownerOf(before), command.fileId)
    if (!isAttached) return { record: before, problems: [{ code: 'unknown_file' }] }
  }
  const details = await kind.insert?.(tx, { ...result, before }, row)
  const paths = kind.changedPaths(before, result.record)
  const [first, ...others] = entriesOf(before, result.record, row, paths)
  const entries = first ? [{ ...first, ...details }, ...others] : []
  return { record: await write(tx, call, { ...result, before, entries }) }
}

async function applyCommands<E extends Entity, K>(
  tx: Database,
  call: Call<E, K>,
  { commandIds, version }: CommandsInput,
  spanOf: (commandId: string) => Span,
): Promise<CommandsResult<Snapshots[E]>> {
  const { target } = call
  const { lock, snapshotOf } = ENTITIES[target.entity]
  const found = await getCommandsForUpdate(tx, target, commandIds)
  const commands = commandIds.map((commandId) => found.get(commandId) ?? null)
  // Runs before the entity is read, so that an unreadable entity does not block its commands for ever.
  if (commands.every(isWithdrawn))
    return { outcome: 'applied', state: null, outcomes: commands.map(() => WITHDRAWN) }
  const locked = await lock(tx, target.vaultId, target.id)
  if (!locked) throw missing()
  let record = locked
  const isRerun = commands.includes('applied')
  const state = snapshotOf(record)
  if (!isRerun && state.version !== version) return { outcome: 'stale', state }
  const outcomes: CommandOutcome[] = []
  for (const command of commands) {
    if (command === 'applied') outcomes.push({ outcome: 'applied' })
    else if (!command || command.expired) outcomes.push(WITHDRAWN)
    else {
      const own = withSpan(tx, spanOf(command.id))
      const { record: left, problems } = await applyCommand(own, call, record, command)
      record = left
      if (problems) outcomes.push({ outcome: 'refused', problems })
      else {
        await markApplied(own, command.id, record.state)
        await renewAssignment(own, target, command.actor)
        outcomes.push({ outcome: 'applied' })
      }
    }
  }
  return { outcome: 'applied', state: snapshotOf(record), outcomes }
}

async function applyFact<E extends Entity, K>(
  tx: Database,
  call: Call<E, K>,
  version: number,
  fact: Facts[E],
): Promise<Transition<Snapshots[E]>> {
  const { kind, target, after } = call
  const { entity, id, vaultId } = target
  const { lock, snapshotOf } = ENTITIES[entity]
  await kind.lockFirst?.(tx, fact, id)
  const before = await lock(tx, vaultId, id)
  if (!before) throw missing()
  const unchanged = (outcome: 'applied' | 'stale') => ({ outcome, state: snapshotOf(before) })
  if (before.state.version !== version) return unchanged('stale')
  await settleFact(tx, fact)
  // A fact takes effect only once, even if a second message with its ID has other content.
  if (await isInTimeline(tx, id, fact.id)) return unchanged('applied')
  const cause = await kind.causeOf(tx, before, fact)
  const { record, events }: Changed<E> = cause
    ? kind.transitionOnFact(before, cause.fact, new Date())
    : { record: before, events: [] }
  const action = storedKind(fact.kind)
  if (record === before) {
    const causeId = cause ? fact.id : untrueCauseId(fact.id)
    const status = statusOf(entity, before)
    const entry = { actor: 'system', from: status, to: status, causeId }
    await appendTimeline(tx, target, { ...entry, action: `${action}_without_effect` })
    await kind.withoutEffect?.(tx, fact, id)
    return unchanged('applied')
  }
  const reasonCode = cause ? kind.reasonOf?.(cause.fact) : undefined
  const entry = { action, actor: cause?.actor ?? 'system', causeId: fact.id, reasonCode }
  const entries = [entry, ...droppedBy(before, record, fact.id)]
  const saved = await write(tx, call, { before, record, events, entries })
  await kind.withEffect?.(tx, fact, before, after)
  return { outcome: 'applied', state: snapshotOf(saved) }
}

/** Returns the context of a transition for a command. */
export const contextOf = ({ actor }: { readonly actor: string }, now: Date) => ({ now, newId, actor })

const isWithdrawn = (command: LockedCommand<Entity> | 'applied' | null): boolean =>
  command === null || (command !== 'applied' && command.expired)
