/** Use cases for the operators' queue and case search, across the vaults that an operator can see. */

import { addTitles } from '../../db/cases/title.ts'
import type { Database } from '../../db/connection/database.ts'
import {
  countCases as countAllCases,
  readCaseCountries,
  readCases,
  readDecided,
} from '../../db/lists/case-list.ts'
import { lookUpCases } from '../../db/lists/lookup.ts'
import { findByNameParts } from '../../db/lists/name-search.ts'
import {
  countQueue as countAll,
  listQueue as listAll,
  readAssignees,
  readCountries,
  readQueue,
} from '../../db/lists/queue.ts'
import {
  addDetails,
  type QueueDuplicates,
  type QueueSettings,
  readDetailsVersion,
  readQueueDuplicates,
  readSettings,
} from '../../db/lists/queue-details.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, type VaultScope, vaultsFor } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import { ENTITY_KINDS, type Entity, type EntityKey, type EntityRef } from '../../domain/entity/entity.ts'
import type {
  CaseFilter,
  FoundEntry,
  ListedEntry,
  Lookup,
  QueueEntry,
  QueueFilter,
} from '../../domain/review/queue.ts'
import { recordExport } from '../access/audit.ts'
import type { WithDb } from '../base/deps.ts'
import { assign } from '../case/assignment.ts'
import { findEntity, findTarget } from '../case/entity-ref.ts'
import { recordNamesRead } from '../case/reading-record.ts'

/** Lists the queue, starting with the case that has waited longest, unless the filter has another order. */
export async function listQueue({ db }: WithDb, operator: Granted, by: By, filter: QueueFilter, page: Page) {
  const listed = await listAll(db, page, filter, vaultsFor(operator, 'read_cases'))
  await recordNamesRead({ db }, by, listed.entries)
  return listed
}

/** Lists cases that match all search terms, newest first. */
export async function lookUpEntities({ db }: WithDb, by: By, kind: Entity, wanted: Lookup, page: Page) {
  const found = await lookUpCases(db, kind, wanted, page)
  await recordNamesRead({ db }, by, found.entries)
  return found
}

interface QueuePage {
  readonly entries: readonly QueueEntry[]
  readonly hasMore: boolean
  /** A version that changes whenever the details of the entries may change. */
  readonly detailsVersion: string
  readonly duplicates: QueueDuplicates
  readonly settings: QueueSettings
}

/** Reads one entry more than the page shows, to find out whether there is another page. */
export async function readPage<E>(
  { page, per_page }: Page,
  read: (range: { limit: number; offset: number }) => Promise<readonly E[]>,
): Promise<{ readonly entries: readonly E[]; readonly hasMore: boolean }> {
  const entries = await read({ limit: per_page + 1, offset: (page - 1) * per_page })
  return { entries: entries.slice(0, per_page), hasMore: entries.length > per_page }
}

/** Reads a page of the queue without details, so that polling for changes decrypts nothing. */
export async function readQueuePage(
  { db }: WithDb,
  operator: Granted,
  filter: QueueFilter,
  page: Page,
): Promise<QueuePage> {
  const read = await readPage(page, (range) => readQueue(db, range, filter))
  const [settings, duplicates] = await Promise.all([
    readSettings(db, read.entries),
    readQueueDuplicates(db, read.entries, vaultsFor(operator, 'read_cases')),
  ])
  const detailsVersion = await readDetailsVersion(db, read.entries, settings)
  return { ...read, settings, duplicates, detailsVersion: JSON.stringify([detailsVersion, ...duplicates]) }
}

/** Returns the details, and the values that the filters of the queue offer. */
export async function readQueueDetails(
  { db }: WithDb,
  by: By,
  { entries, settings, duplicates }: Pick<QueuePage, 'entries' | 'settings' | 'duplicates'>,
  scope: VaultScope,
  filter: QueueFilter,
) {
  const [rows, assignees, countries] = await Promise.all([
    addDetails(db, entries, settings, duplicates),
    readAssignees(db, scope),
    readCountries(db, filter),
    recordNamesRead({ db }, by, entries),
  ])
  return { rows, assignees, countries }
}

/** The position of a case among the first cases that match a filter. */
interface QueuePlace {
  /** The position, starting at 1. */
  readonly number: number
  readonly count: number
  readonly previous: QueueEntry | undefined
  readonly next: QueueEntry | undefined
}

/** The maximum number of cases to search for the position of a case. */
const MAX_PLACES = 200

/** Returns the position of a case, or null if it is not among the first cases that match the filter. */
export async function findQueuePlace(
  { db }: WithDb,
  filter: QueueFilter,
  id: string,
): Promise<QueuePlace | null> {
  const entries = await readQueue(db, { limit: MAX_PLACES }, filter)
  const index = entries.findIndex((entry) => entry.id === id)
  if (index < 0) return null
  return { number: index + 1, count: entries.length, previous: entries[index - 1], next: entries[index + 1] }
}

/**
 * Returns the name of a case, or null if the operator cannot read the case or its name is unknown. Records the read.
 */
export async function findTitle({ db }: WithDb, operator: Granted, by: By, id: string) {
  const found = await findEntity({ db }, operator, id)
  if (!found) return null
  const [titled] = await addTitles(db, [{ kind: found.entity, id: found.id }])
  await recordNamesRead({ db }, by, [found])
  return titled?.title ?? null
}

/** Lists all cases, newest first unless the filter has another order. */
export async function listCases({ db }: WithDb, by: By, filter: CaseFilter, page: Page): Promise<Found> {
  const { entries, hasMore } = await readPage(page, (range) => readCases(db, range, filter))
  await recordNamesRead({ db }, by, entries)
  return { entries: await addDecisions(db, entries), hasMore }
}

/** The maximum number of cases in an exported list. */
export const MAX_EXPORTED = 1_000

/** Returns the first cases of a list that leaves Gatehouse, and records the export. */
export async function exportCases(deps: WithDb, by: By, filter: CaseFilter): Promise<readonly ListedEntry[]> {
  await recordExport(deps, by, 'cases', filter)
  return (await listCases(deps, by, filter, { page: 1, per_page: MAX_EXPORTED })).entries
}

/** Adds the details and the decisions of cases of any state. */
async function addDecisions(db: Database, found: readonly FoundEntry[]): Promise<ListedEntry[]> {
  const entries = await addDetails(db, found, await readSettings(db, found), new Map())
  const final = entries.filter(({ outcome }) => outcome === 'approved' || outcome === 'rejected')
  const decided = await readDecided(
    db,
    final.map(({ id }) => id),
  )
  return entries.map((entry) => ({ ...entry, decided: decided.get(entry.id) ?? null }))
}

/** Returns the countries of the newest cases that match the rest of the filter. */
export const listCaseCountries = ({ db }: WithDb, filter: CaseFilter): Promise<string[]> =>
  readCaseCountries(db, filter)

/** Returns the number of cases. Counts at most `most` cases of each kind. */
export const countCases = ({ db }: WithDb, filter: CaseFilter, most: number): Promise<number> =>
  countAllCases(db, filter, most)

/** Returns the number of waiting cases. Counts at most `most` cases of each kind. */
export const countQueue = ({ db }: WithDb, filter: QueueFilter, most: number): Promise<number> =>
  countAll(db, filter, most)

/** How many cases to try, because other operators may take some of them in the meantime. */
const CANDIDATES = 10

/** Assigns the unassigned case that has waited longest and matches the filter. Returns null if there is none. */
export async function assignNext(
  deps: WithDb,
  filter: QueueFilter,
  actor: string,
): Promise<EntityRef | null> {
  const free = { ...filter, assigned: { to: null }, notDecidedBy: actor, isNewestFirst: false }
  for (;;) {
    const candidates = await readQueue(deps.db, { limit: CANDIDATES }, free)
    if (candidates.length === 0) return null
    for (const { kind: entity, id, vaultId } of candidates)
      if (await tryAssign(deps, { entity, id, vaultId }, actor)) return { entity, id, vaultId }
  }
}

/**
 * Assigns the cases that the operator can decide and that are not assigned to others. Returns whether any case was
 * skipped.
 */
export async function assignSeveral(
  deps: WithDb,
  entities: readonly EntityKey[],
  operator: Granted & { readonly actor: string },
): Promise<{ readonly isAnyLeft: boolean }> {
  let isAnyLeft = false
  for (const { entity, id } of entities)
    if (!(await tryAssign(deps, findTarget(deps, operator, 'decide', entity, id), operator.actor)))
      isAnyLeft = true
  return { isAnyLeft }
}

/** Assigns a case. Returns false if it is not found, or is assigned to another operator. */
async function tryAssign(deps: WithDb, target: EntityRef | Promise<EntityRef>, actor: string) {
  try {
    await assign(deps, await target, actor, false)
    return true
  } catch (error) {
    if (error instanceof RequestRefused) return false
    throw error
  }
}

/** The maximum number of words in the first names. */
const MAX_FIRST_NAMES = 4

export interface Found {
  /** The cases, without duplicates. */
  readonly entries: readonly ListedEntry[]
  readonly hasMore: boolean
}

/** Searches for cases as `findCases` does, and records that the operator read their names. */
export async function searchCases(
  deps: WithDb,
  by: By,
  scope: VaultScope,
  text: string,
  page: Page,
): Promise<Found> {
  const { entries, hasMore } = await findCases(deps, scope, text, page)
  await recordNamesRead(deps, by, entries)
  return { entries: await addDecisions(deps.db, entries), hasMore }
}

/**
 * Searches for a client's own ID, an email or a complete name, and then for parts of names. Tries several positions for
 * the start of the surname.
 */
export async function findCases({ db }: WithDb, scope: VaultScope, text: string, page: Page) {
  const words = text.split(/\s+/)
  const wanted = [{ externalId: text }, { name: text }, ...(text.includes('@') ? [{ email: text }] : [])]
  const ofPersons = words.slice(1, MAX_FIRST_NAMES + 1).map((_, n) => {
    const [name, surname] = [words.slice(0, n + 1), words.slice(n + 1)].map((part) => part.join(' '))
    return { name, surname }
  })
  const found = await Promise.all([
    ...ENTITY_KINDS.flatMap((kind) => wanted.map((each) => lookUpCases(db, kind, { ...each, scope }, page))),
    ...ofPersons.map((each) => lookUpCases(db, 'identification', { ...each, scope }, page)),
  ])
  const byParts = await findByNameParts(db, text, page.per_page, scope)
  const all: FoundEntry[] = [...found.flatMap(({ entries }) => entries), ...byParts.entries]
  return {
    entries: all.filter((entry, n) => all.findIndex(({ id }) => id === entry.id) === n),
    hasMore: byParts.hasMore || found.some(({ totalCount }) => totalCount > page.per_page),
  }
}
