/** Rules for what an applicant may do in a session. */
import type { Commands, Entity } from './entity.ts'

/** A session on a phone to which another session handed over is limited to photos. */
const SESSION_SCOPES = ['everything', 'photos'] as const
export type SessionScope = (typeof SESSION_SCOPES)[number]

const OF_PHOTOS: readonly Commands[Entity]['kind'][] = ['attach', 'detach']

export const isInScope = (scope: SessionScope, kind: Commands[Entity]['kind']): boolean =>
  scope === 'everything' || OF_PHOTOS.includes(kind)
