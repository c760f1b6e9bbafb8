/**
 * Sends commands to entities. A dry run on the stored entity finds most problems, and the entity's workflow finds the
 * rest.
 */
import { v7 as newId } from 'uuid'
import { type AppliedCommand, findAppliedCommand } from '../../db/commands/command.ts'
import { findEntry } from '../../db/commands/timeline.ts'
import { type Database, withSpan } from '../../db/connection/database.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity/entity.ts'
import type { Records } from '../../domain/entity/rules.ts'
import { needsScreening } from '../../domain/screening/screening.ts'
import { inSpan } from '../../process/span.ts'
import type { Screening } from '../../screening/screening.ts'
import { attributesOf, ENTITIES } from '../../temporal/entities.ts'
import type { Gateway } from '../../temporal/gateway.ts'
import type { Effect } from '../base/effect.ts'

/** The caller, and the effect of the request. The effect has the same ID each time the request runs. */
export interface Asking {
  readonly actor: string
  readonly effect: Effect
}

export interface CommandDeps {
  readonly db: Database
  readonly gateway: Gateway
  readonly screening: Screening
}

/** Returns the entity. Throws `not_found`. */
export async function getRecord<E extends Entity>(
  { db }: Pick<CommandDeps, 'db'>,
  { entity, vaultId, id }: EntityRef<E>,
): Promise<Records[E]> {
  return requireFound(await ENTITIES[entity].find(db, vaultId, id))
}

/**
 * Runs a command and returns the entity as the command left it, even if other commands followed. Throws RequestRefused
 * with all problems.
 */
export async function changeEntity<E extends Entity>(
  deps: CommandDeps,
  asking: Asking,
  target: EntityRef<E>,
  command: Commands[E],
): Promise<Records[E]> {
  await runCommand(deps, asking, target, command)
  const [record, applied] = await Promise.all([
    getRecord(deps, target),
    findAppliedCommand(deps.db, target, asking.effect.id),
  ])
  return applied ? ENTITIES[target.entity].after({ ...applied, command }, record) : record
}

/**
 * Runs a command and waits until it is applied. Returns null, or the command that an earlier run of the same request
 * applied. `record` is the entity, if the caller has just read it. Throws RequestRefused with all problems.
 */
export function runCommand<E extends Entity>(
  deps: CommandDeps,
  asking: Asking,
  target: EntityRef<E>,
  command: Commands[E],
  record?: Records[E],
): Promise<AppliedCommand<E> | null> {
  const attributes = { ...attributesOf(target), 'gatehouse.command.id': asking.effect.id }
  return inSpan(deps.db.span, `command ${command.kind}`, { attributes }, (span) =>
    runInSpan({ ...deps, db: withSpan(deps.db, span) }, asking, target, command, record),
  )
}

/** Runs a command that attaches a file, and returns the ID of the file. If the request runs again, returns the same ID. */
export async function attachOnce<E extends Entity>(
  deps: CommandDeps,
  asking: Asking,
  target: EntityRef<E>,
  command: Commands[E] & { readonly fileId: string },
): Promise<string> {
  const earlier = await runCommand(deps, asking, target, command)
  const entry = earlier && (await findEntry(deps.db, target.id, asking.effect.id))
  // A file that the command replaced comes first.
  return entry?.files.at(-1) ?? command.fileId
}

async function runInSpan<E extends Entity>(
  { db, gateway, screening }: CommandDeps,
  { actor, effect }: Asking,
  target: EntityRef<E>,
  command: Commands[E],
  record?: Records[E],
): Promise<AppliedCommand<E> | null> {
  const since = performance.now()
  const { find, transition, snapshotOf } = ENTITIES[target.entity]
  const isScreened = needsScreening(command.kind)
  if (isScreened) await inSpan(db.span, 'wait for screening', {}, () => screening.screen(target))
  const { state, earlier = null } = await gateway.dryRun({ target, actor, since }, async () => {
    const current = requireFound(isScreened || !record ? await find(db, target.vaultId, target.id) : record)
    const state = snapshotOf(current)
    const earlier = effect.isRerun ? await gateway.earlier(target, effect.id) : null
    if (earlier) return { state, earlier }
    const trial = transition(current, command, { now: new Date(), newId, actor })
    if ('problems' in trial) throw new RequestRefused(...trial.problems)
    return { state }
  })
  if (earlier) return earlier
  await gateway.run({ id: effect.id, target, command, actor, state, since, span: db.span })
  return null
}
