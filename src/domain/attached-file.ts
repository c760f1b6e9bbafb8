/** Rules for attached files: each belongs to one entity. */
import type { Entity } from './entity.ts'

export interface AttachedFile {
  readonly id: string
  readonly name: string
  readonly entity: Entity
  readonly entityId: string
  readonly vaultId: string
}
