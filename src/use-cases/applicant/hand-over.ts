/**
 * Use cases for continuing on a phone. A short-lived link opens another session of the same verification. The link is
 * derived from the session that shows it and is not stored. It ends with that session.
 */
import { timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { findPageSessions, type OpenSession, openPageSession } from '../../db/access/page-session.ts'
import { lockLinks } from '../../db/cases/verification-link.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps } from '../deps.ts'

/** A link is valid in the period of its creation and in the next one, so for 10 to 20 minutes in total. */
const PERIOD_MS = 600_000

const ID_BYTES = 16
const PERIOD_BYTES = 4
const HASH_BYTES = 32

/** Returns the number of the current period. A session has a new link in each period. */
export const handOverPeriod = (now = Date.now()): number => Math.floor(now / PERIOD_MS)

const hashOf = (db: Database, id: string, period: number, sessionHash: Buffer): Buffer =>
  db.encryption.hash(`${id}:${period}:${sessionHash.toString('hex')}`, 'hand_over')

/** Returns the token of the link for this session. */
export function createHandOver(
  { db }: Pick<Deps, 'db'>,
  { id, sessionHash }: { readonly id: string; readonly sessionHash: Buffer },
  period = handOverPeriod(),
): string {
  const number = Buffer.alloc(PERIOD_BYTES)
  number.writeUInt32BE(period)
  return Buffer.concat([parse(id), number, hashOf(db, id, period, sessionHash)]).toString('base64url')
}

interface HandOver {
  readonly id: string
  readonly period: number
  readonly hash: Buffer
}

/** Parses a token. Returns null if the token is malformed or has expired. */
function readHandOver(token: string): HandOver | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== ID_BYTES + PERIOD_BYTES + HASH_BYTES) return null
  const period = bytes.readUInt32BE(ID_BYTES)
  const age = handOverPeriod() - period
  if (age !== 0 && age !== 1) return null
  try {
    return {
      id: stringify(bytes.subarray(0, ID_BYTES)),
      period,
      hash: bytes.subarray(ID_BYTES + PERIOD_BYTES),
    }
  } catch {
    return null
  }
}

/** Returns the open session that shows the link, or null. */
async function findShowingSession(db: Database, { id, period, hash }: HandOver): Promise<OpenSession | null> {
  const sessions = await findPageSessions(db, id)
  return sessions.find(({ tokenHash }) => timingSafeEqual(hash, hashOf(db, id, period, tokenHash))) ?? null
}

/** Returns the session that shows the link, or null if the link is not valid. */
export async function findHandOver({ db }: Pick<Deps, 'db'>, token: string): Promise<OpenSession | null> {
  const handOver = readHandOver(token)
  return handOver && findShowingSession(db, handOver)
}

/** Opens a session. Returns its token and the ID of the verification, or null if the link is not valid. */
export async function openHandOver(
  { db }: Pick<Deps, 'db'>,
  token: string,
): Promise<{ readonly id: string; readonly session: string } | null> {
  const handOver = readHandOver(token)
  if (!handOver) return null
  const { id } = handOver
  const session = newToken()
  const isOpen = await transaction(db, async (tx) => {
    // A new link from the client closes all sessions, even one that is being opened at the same time.
    await lockLinks(tx, id)
    const showing = await findShowingSession(tx, handOver)
    if (showing) await openPageSession(tx, session, id)
    return showing !== null
  })
  return isOpen ? { id, session } : null
}
