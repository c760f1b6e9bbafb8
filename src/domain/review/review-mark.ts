/** Rules for marks, with which an operator accepts or flags fields and documents before deciding. */
import type { FindingCode } from '../decision/decision.ts'

export interface MarkPlace {
  /** The path of the field. */
  readonly path: string
  /** The ID of the document, or null if the mark is about the whole field. */
  readonly fileId: string | null
}

export interface ReviewMark extends MarkPlace {
  /** The finding of a flag, or null if the operator has accepted the value. */
  readonly code: FindingCode | null
  /** A comment for the client, as in a decision. */
  readonly comment: string | null
  readonly createdAt: Date
}

export type NewMark = Omit<ReviewMark, 'createdAt'>

/** Returns the key that represents a field or document in forms. */
export const markKey = ({ path, fileId }: MarkPlace): string => (fileId === null ? path : `${path}#${fileId}`)

export function readMarkKey(key: string): MarkPlace {
  const [path = '', fileId = null] = key.split('#')
  return { path, fileId }
}

interface Since {
  /** When the case last started to wait on an operator. */
  readonly waitingSince: Date
  /** When the latest decision was made, or null if there is none. */
  readonly decidedAt: Date | null
  readonly isChanged: (path: string) => boolean
}

/** Returns whether the mark still applies. A decision settles flags, and a changed value must be checked again. */
export const isCurrentMark = (
  { path, code, createdAt }: ReviewMark,
  { waitingSince, decidedAt, isChanged }: Since,
): boolean =>
  code === null ? createdAt >= waitingSince || !isChanged(path) : decidedAt === null || createdAt > decidedAt
