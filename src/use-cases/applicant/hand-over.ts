/**
 * Use cases for continuing on a phone. A link opens one session that is limited to photos. The link is derived from the
 * session that shows it and is not stored. Opening a link invalidates all links that this session has shown until then.
 */
import { timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { closeHandedOver, findPageSessions, startHandedOver } from '../../db/access/page-session.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { lockLinks } from '../../db/email/verification-link.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { newToken } from '../../storage/random.ts'
import type { WithDb } from '../base/deps.ts'

export const HAND_OVER_MS = 5 * 60_000

const ID_BYTES = 16
const TIME_BYTES = 6
const HASH_BYTES = 32

const hashOf = (db: Database, id: string, issuedAt: number, sessionHash: Buffer): Buffer =>
  db.encryption.hash(`${id}:${issuedAt}:${sessionHash.toString('hex')}`, 'hand_over')

/** A session, identified by its verification and its hash. */
interface Session {
  readonly id: string
  readonly sessionHash: Buffer
}

/** Returns the token of a new link for this session. */
export function createHandOver({ db }: WithDb, { id, sessionHash }: Session, issuedAt = Date.now()): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(issuedAt, 0, TIME_BYTES)
  return Buffer.concat([parse(id), time, hashOf(db, id, issuedAt, sessionHash)]).toString('base64url')
}

interface HandOver {
  readonly id: string
  readonly issuedAt: number
  readonly hash: Buffer
}

/** The difference between the clocks of two processes that is tolerated. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000

/** Parses a token. Returns null if the token is malformed. */
function readHandOver(token: string): HandOver | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== ID_BYTES + TIME_BYTES + HASH_BYTES) return null
  try {
    return {
      id: stringify(bytes.subarray(0, ID_BYTES)),
      issuedAt: bytes.readUIntBE(ID_BYTES, TIME_BYTES),
      hash: bytes.subarray(ID_BYTES + TIME_BYTES),
    }
  } catch {
    return null
  }
}

/** Returns the open session that has shown the link, and whether the link is valid, or null if there is none. */
async function findShowingSession(db: Database, { id, issuedAt, hash }: HandOver) {
  const sessions = await findPageSessions(db, id)
  const showing = sessions.find(({ tokenHash }) => timingSafeEqual(hash, hashOf(db, id, issuedAt, tokenHash)))
  if (showing?.scope !== 'everything') return null
  const age = Date.now() - issuedAt
  const isCurrent = age <= HAND_OVER_MS && age >= -MAX_CLOCK_DIFFERENCE_MS
  const isUsed = showing.handedOverAt !== null && showing.handedOverAt.getTime() >= issuedAt
  return { ...showing, isValid: isCurrent && !isUsed }
}

interface HandOverOffer {
  readonly vault: Vault
  /** False if the link has expired or was used. */
  readonly isValid: boolean
  /** The first names of the person, if known. The phone sees no other details, and none if the link is not valid. */
  readonly name: string | undefined
}

/** Returns whose photos the link takes, or null if no open session has shown it. Does not use up the link. */
export async function findHandOver({ db }: WithDb, token: string): Promise<HandOverOffer | null> {
  const handOver = readHandOver(token)
  const showing = handOver && (await findShowingSession(db, handOver))
  if (!showing) return null
  const { vault, isValid } = showing
  const person = isValid ? await findIdentification(db, vault.id, handOver.id) : null
  return { vault, isValid, name: person?.profile.name }
}

/** Opens a session. Returns its token and the ID of the verification, or null if the link is not valid. */
export async function followHandOver({ db }: WithDb, token: string) {
  const handOver = readHandOver(token)
  if (!handOver) return null
  const { id, issuedAt } = handOver
  const session = newToken()
  const isOpen = await transaction(db, async (tx) => {
    // A new link from the client closes all sessions, even one that is being opened at the same time.
    await lockLinks(tx, id)
    const showing = await findShowingSession(tx, handOver)
    return (
      showing?.isValid === true && startHandedOver(tx, session, { id, from: showing.tokenHash, issuedAt })
    )
  })
  return isOpen ? { id, session } : null
}

/** Returns whether a phone has an open session to which this session handed over. */
export async function isPhoneConnected({ db }: WithDb, { id, sessionHash }: Session): Promise<boolean> {
  const sessions = await findPageSessions(db, id)
  return sessions.some(({ openedFrom }) => openedFrom?.equals(sessionHash))
}

/** Ends the phone's session. */
export const disconnectPhone = ({ db }: WithDb, { id, sessionHash }: Session): Promise<void> =>
  closeHandedOver(db, id, sessionHash)
