/** Use cases for the cases that a vault's own users see in the console. */

import { findVaultId } from '../../db/commands/entity.ts'
import type { Database } from '../../db/connection/database.ts'
import { countRecentEmails } from '../../db/email/email.ts'
import { findAddress } from '../../db/email/notice.ts'
import { countCases, readCases } from '../../db/lists/case-list.ts'
import { readClientFacts } from '../../db/lists/client-case.ts'
import { addDetails, readSettings } from '../../db/lists/queue-details.ts'
import type { Page } from '../../domain/base/page.ts'
import { ENTITY_KINDS, type Entity } from '../../domain/entity/entity.ts'
import { type ClientCase, type ClientFacts, clientCase, NO_FACTS } from '../../domain/review/client-case.ts'
import type { Figures } from '../../domain/review/figures.ts'
import type { CaseFilter, FoundEntry } from '../../domain/review/queue.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import { sendsEmails } from '../access/vaults.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { getFigure } from './figures.ts'
import { findCases, readPage } from './queue.ts'

type ClientFilter = Omit<CaseFilter, 'scope'>

interface ClientCasePage {
  readonly cases: readonly ClientCase[]
  readonly hasMore: boolean
}

/** Lists the vault's cases, newest first. */
export async function listClientCases(
  { db }: WithDb,
  caller: Caller,
  filter: ClientFilter,
  page: Page,
): Promise<ClientCasePage> {
  const vaultId = requireVault(caller, 'api_read')
  const scope = [vaultId]
  const { entries, hasMore } = await readPage(page, (range) => readCases(db, range, { ...filter, scope }))
  return { cases: await toClientCases(db, vaultId, entries), hasMore }
}

/** Searches the vault's cases for a client's own ID, an email, a name or a part of a name. */
export async function searchClientCases(
  deps: WithDb,
  caller: Caller,
  text: string,
  page: Page,
): Promise<ClientCasePage> {
  const vaultId = requireVault(caller, 'api_read')
  const { entries, hasMore } = await findCases(deps, [vaultId], text, page)
  return { cases: await toClientCases(deps.db, vaultId, entries), hasMore }
}

/** Returns the type of the vault's case with this ID, or null if there is none. */
export async function findClientCase({ db }: WithDb, caller: Caller, id: string): Promise<Entity | null> {
  const vaultId = requireVault(caller, 'api_read')
  for (const entity of ENTITY_KINDS) if ((await findVaultId(db, { entity, id })) === vaultId) return entity
  return null
}

async function toClientCases(
  db: Database,
  vaultId: string,
  found: readonly FoundEntry[],
): Promise<readonly ClientCase[]> {
  const entries = await addDetails(db, found, await readSettings(db, found), new Map())
  const facts = await readClientFacts(db, vaultId, found)
  return entries.map((entry) => clientCase(entry, facts.get(entry.id) ?? NO_FACTS))
}

/** Returns the facts about one of the vault's cases that only clients see. */
export async function getClientFacts({ db }: WithDb, caller: Caller, id: string): Promise<ClientFacts> {
  const facts = await readClientFacts(db, requireVault(caller, 'api_read'), [{ id }])
  return facts.get(id) ?? NO_FACTS
}

/** Returns the address to which emails about one of the vault's verifications go now, or null. */
export async function getLinkAddress({ db }: WithDb, caller: Caller, identificationId: string) {
  const isOwn = (await findClientCase({ db }, caller, identificationId)) === 'identification'
  return isOwn ? findAddress(db, identificationId) : null
}

/** The numbers of the last seven days. */
export interface ClientWeek {
  readonly deliveries: Figures['deliveries']['rows']
  readonly decisions: { readonly approved: number; readonly rejected: number }
  /** The emails to applicants, or null if the vault sends none. */
  readonly emails: { readonly sent: number; readonly failed: number } | null
}

export async function readClientWeek(
  deps: Pick<Deps, 'db' | 'config' | 'figures'>,
  caller: Caller,
): Promise<ClientWeek> {
  const vaultId = requireVault(caller, 'api_read')
  const filter = { period: 7, scope: [vaultId] } as const
  const { rows } = await getFigure(deps, 'deliveries', filter)
  const reasons = await getFigure(deps, 'reasons', filter)
  const sum = (outcome: 'approved' | 'rejected') =>
    reasons.rows.reduce((total, row) => total + row[outcome], 0)
  return {
    deliveries: rows,
    decisions: { approved: sum('approved'), rejected: sum('rejected') },
    emails: (await sendsEmails(deps, vaultId)) ? await countRecentEmails(deps.db, vaultId) : null,
  }
}

/** Returns the number of the vault's cases. Counts at most `most` cases of each kind. */
export const countClientCases = ({ db }: WithDb, caller: Caller, filter: ClientFilter, most: number) =>
  countCases(db, { ...filter, scope: [requireVault(caller, 'api_read')] }, most)
