/** Use cases for applicant sessions. A verification link opens a session for the form of its verification. */

import { saveLanguage } from '../../db/access/link-language.ts'
import {
  beganBeforeSubmission,
  closePageSession,
  findPageSession,
  pageSessionHash,
  startPageSession,
} from '../../db/access/page-session.ts'
import { transaction } from '../../db/connection/database.ts'
import {
  type ExpiredLink,
  findExpiredLink as findExpired,
  findLinkedVerification,
  getLinkForUpdate,
} from '../../db/email/verification-link.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { Language } from '../../domain/base/language.ts'
import type { SessionScope } from '../../domain/entity/session-scope.ts'
import type { LinkedVerification } from '../../domain/identification/link.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { beginVerification } from '../kyb/beneficiary-verification.ts'

interface ApplicantSession {
  readonly vault: Vault
  /** The CSRF token of all forms in the session. */
  readonly csrf: string
  readonly sessionHash: Buffer
  readonly scope: SessionScope
  /** The language in which the applicant last read the pages, or null. */
  readonly language: Language | null
}

/** Returns the verification of a link, or null if the link has expired or was replaced. */
export const findLink = ({ db }: WithDb, link: string): Promise<LinkedVerification | null> =>
  findLinkedVerification(db, link)

/** Returns who can renew the link, which must have expired, or null if there is no such link. */
export const findExpiredLink = ({ db }: WithDb, link: string): Promise<ExpiredLink | null> =>
  findExpired(db, link)

/**
 * Opens a session and returns its token. Returns null if the link was replaced or its person was removed. Opening a
 * beneficiary's link for the first time creates the verification.
 */
export async function startSession(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  linked: LinkedVerification,
  link: string,
): Promise<string | null> {
  const { id, vault, origin } = linked
  if (origin === 'beneficiary') {
    if (!(await beginVerification(db, { id, vaultId: vault.id }))) return null
    notifier.notify([id])
  }
  const token = newToken()
  const isOpen = await transaction(db, async (tx) => {
    const isValid = await getLinkForUpdate(tx, linked, link)
    if (isValid) await startPageSession(tx, token, id)
    return isValid
  })
  return isOpen ? token : null
}

/** Returns the session, or null if the token does not allow access to the form of this identification. */
export async function findSession(
  { db }: WithDb,
  token: string,
  identificationId: string,
): Promise<ApplicantSession | null> {
  const sessionHash = pageSessionHash(db, token)
  const session = await findPageSession(db, identificationId, sessionHash)
  if (!session) return null
  const { vault, scope, language } = session
  // Derives the CSRF token from the session, so that showing a page writes nothing.
  const csrf = db.encryption.hash(token, 'page_csrf').toString('base64url')
  return { vault, csrf, sessionHash, scope, language }
}

/** Returns whether the session is still open, for requests that take up to a minute. */
export const isSessionOpen = async (
  { db }: WithDb,
  { id, sessionHash }: { readonly id: string; readonly sessionHash: Buffer },
): Promise<boolean> => (await findPageSession(db, id, sessionHash)) !== null

/**
 * Returns whether the session shows the submitted details. A later session does not, because others can know the link:
 * the client, the company that names the person, and the recipients of a forwarded email.
 */
export const showsSubmitted = (
  { db }: WithDb,
  { id, sessionHash }: { readonly id: string; readonly sessionHash: Buffer },
): Promise<boolean> => beganBeforeSubmission(db, id, sessionHash)

/** Stores the language of the pages, in which emails are then written. */
export const keepLanguage = ({ db }: WithDb, identificationId: string, language: Language): Promise<void> =>
  saveLanguage(db, identificationId, language)

/** Ends the session, and a session on a phone to which it handed over. Sessions of other browsers remain. */
export const endSession = (
  { db }: WithDb,
  { id, sessionHash }: { readonly id: string; readonly sessionHash: Buffer },
): Promise<void> => closePageSession(db, id, sessionHash)
