/** Use cases for pages about a vault's profile: its versions, and changes of its draft row by row. */
import { findDraft } from '../../db/access/profile.ts'
import { findDocument, listVersions, type ProfileVersion } from '../../db/access/profile-version.ts'
import type { Database } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { DEFAULT_DOCUMENT, type ProfileDocument } from '../../domain/profile/document.ts'
import type { WithDb } from '../base/deps.ts'
import { requirePermission } from './caller.ts'
import { saveDraftOf } from './profile.ts'

export interface ProfileState {
  /** The published versions, newest first. */
  readonly versions: readonly ProfileVersion[]
  /** The document of the newest version, or of the default profile. */
  readonly published: ProfileDocument
  readonly draft: { readonly version: number; readonly document: ProfileDocument } | null
}

/** Returns the newest published document, with which a new draft begins. */
const newestDocument = async (db: Database, vaultId: string): Promise<ProfileDocument> =>
  (await findDocument(db, vaultId)) ?? DEFAULT_DOCUMENT

/** Returns the versions and the draft. Throws `not_found` and `insufficient_role`. */
export async function getProfileState(
  { db }: WithDb,
  operator: Granted,
  vaultId: string,
): Promise<ProfileState> {
  requirePermission(operator, 'read_settings', vaultId)
  return {
    versions: await listVersions(db, vaultId),
    published: await newestDocument(db, vaultId),
    draft: await findDraft(db, vaultId),
  }
}

/** Changes the draft, which begins with the newest published version. Returns the changed document. */
export const changeDraft = async (
  { db }: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  change: (document: ProfileDocument) => ProfileDocument,
): Promise<ProfileDocument> => {
  const { document } = await saveDraftOf({ db }, operator, by, vaultId, async (tx) =>
    change((await findDraft(tx, vaultId, true))?.document ?? (await newestDocument(tx, vaultId))),
  )
  return document
}
