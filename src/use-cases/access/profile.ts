/** Use cases for the profiles of vaults, which administrators draft, check, rehearse and publish. */
import { findDraft, findProfile, publishDraft as publish, saveDraft } from '../../db/access/profile.ts'
import { readPublishedRows } from '../../db/access/profile-version.ts'
import { findVault } from '../../db/access/vault.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import type { AdminAction } from '../../domain/access/admin-action.ts'
import { type AuditAction, aboutVault, type By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { newestDay } from '../../domain/fields/values.ts'
import { checkProfile } from '../../domain/profile/check.ts'
import {
  countryGroups,
  DEFAULT_DOCUMENT,
  type ProfileDocument,
  type PublishedProfile,
} from '../../domain/profile/document.ts'
import type { ProfileProblem } from '../../domain/profile/problems.ts'
import type { WithDb } from '../base/deps.ts'
import { type Caller, requirePermission, requireVault } from './caller.ts'
import { getVault, requireVaultForUpdate } from './vaults.ts'

type Publication = Extract<AdminAction, { kind: 'publish_profile' }>
export interface Profile {
  readonly version: number
  /** Null for a draft, and for the default profile. */
  readonly appliesFrom: Date | null
  readonly isDraft: boolean
  readonly document: ProfileDocument
}

const DEFAULT: Profile = { version: 0, appliesFrom: null, isDraft: false, document: DEFAULT_DOCUMENT }

const asPublished = (profile: PublishedProfile): Profile => ({ ...profile, isDraft: false })

/** Returns the profile that applies now. Throws `not_found` and `insufficient_role`. */
export async function getProfile({ db }: WithDb, operator: Granted, vaultId: string): Promise<Profile> {
  await getVault({ db }, operator, 'read_settings', vaultId)
  const profile = await findProfile(db, vaultId)
  return profile ? asPublished(profile) : DEFAULT
}

/**
 * Returns the profile that applies now to the client's vault, and the countries of the groups that conditions can name.
 * If `vaultId` is undefined, the caller's first vault is used.
 */
export async function getProfileForClient({ db }: WithDb, caller: Caller, vaultId: string | undefined) {
  const id = requireVault(caller, 'api_read', vaultId)
  const [profile, vault] = await Promise.all([findProfile(db, id), findVault(db, id)])
  return {
    profile: profile ? asPublished(profile) : DEFAULT,
    groups: countryGroups(vault?.highRiskCountries ?? []),
  }
}

/** Returns the draft. Throws `not_found` if there is none. */
export async function getDraft({ db }: WithDb, operator: Granted, vaultId: string): Promise<Profile> {
  requirePermission(operator, 'read_settings', vaultId)
  return { ...(await requireDraft(db, vaultId)), appliesFrom: null, isDraft: true }
}

export const replaceDraft = (
  deps: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  document: ProfileDocument,
): Promise<Profile> => saveDraftOf(deps, operator, by, vaultId, async () => document)

export const saveDraftOf = (
  { db }: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  create: (tx: Database) => Promise<ProfileDocument>,
): Promise<Profile> => {
  requirePermission(operator, 'administer', vaultId)
  return transaction(db, async (tx) => {
    await requireVaultForUpdate(tx, vaultId)
    const draft = await saveDraft(tx, vaultId, await create(tx))
    await record(tx, by, 'profile_drafted', vaultId, draft.version)
    return { ...draft, appliesFrom: null, isDraft: true }
  })
}

/** Returns the problems that prevent the draft's publication. Throws `not_found` if there is no draft. */
export async function checkDraft(
  { db }: WithDb,
  operator: Granted,
  vaultId: string,
): Promise<readonly ProfileProblem[]> {
  requirePermission(operator, 'read_settings', vaultId)
  return problemsOf(db, vaultId, await requireDraft(db, vaultId))
}

/**
 * Returns the action that publishes the draft. Throws `not_found` if there is no draft, and `invalid` for each of its
 * problems.
 */
export async function publicationOf(
  { db }: WithDb,
  operator: Granted,
  vaultId: string,
  appliesFrom: Date | undefined,
): Promise<Publication> {
  requirePermission(operator, 'administer', vaultId)
  const draft = await requireDraft(db, vaultId)
  requireNone(await problemsOf(db, vaultId, draft))
  return {
    kind: 'publish_profile',
    vaultId,
    version: draft.version,
    draftedAt: draft.updatedAt.toISOString(),
    ...(appliesFrom && { appliesFrom: appliesFrom.toISOString() }),
  }
}

/** Publishes the draft as a version that does not change. Throws `invalid` if the draft has changed or has problems. */
export const publishDraft = (db: Database, by: By, publication: Publication): Promise<Profile> =>
  transaction(db, async (tx) => {
    const { vaultId, version, draftedAt, appliesFrom } = publication
    // As changes of the draft do, which would otherwise find that it was published at the same time.
    await requireVaultForUpdate(tx, vaultId)
    const draft = await requireDraft(tx, vaultId, true)
    if (draft.version !== version || draft.updatedAt.toISOString() !== draftedAt)
      throw new RequestRefused({ code: 'invalid', field: 'document', message: CHANGED })
    requireNone(await problemsOf(tx, vaultId, draft))
    const date = appliesFrom === undefined ? undefined : new Date(appliesFrom)
    const profile = await publish(tx, vaultId, { version, appliesFrom: date, by: by.actor })
    await record(tx, by, 'profile_published', vaultId, version)
    return asPublished(profile)
  })

const CHANGED = 'The draft has changed since its publication was proposed. Check it and publish it again.'

function requireNone(problems: readonly ProfileProblem[]): void {
  if (problems.length === 0) return
  const refusals = problems.map(
    ({ path, message }) => ({ code: 'invalid', field: `document.${path}`, message }) as const,
  )
  throw new RequestRefused(...refusals)
}

async function requireDraft(db: Database, vaultId: string, lock = false) {
  const draft = await findDraft(db, vaultId, lock)
  if (!draft) throw new RequestRefused({ code: 'not_found', message: NO_DRAFT })
  return draft
}

const NO_DRAFT = 'Record not found: the vault has no draft. Create one with PUT …/profile/draft.'

/** Returns the problems that prevent the publication of the document in the vault. */
export async function problemsOf(
  db: Database,
  vaultId: string,
  { document }: { readonly document: ProfileDocument },
): Promise<ProfileProblem[]> {
  const vault = await findVault(db, vaultId)
  const published = await readPublishedRows(db, vaultId)
  return checkProfile(document, vault?.languages ?? [], newestDay(new Date()), published)
}

const record = (tx: Database, by: By, action: AuditAction, vaultId: string, version: number): Promise<void> =>
  recordAudit(tx, by, { action, ...aboutVault(vaultId), changes: { version: { to: version } } })
