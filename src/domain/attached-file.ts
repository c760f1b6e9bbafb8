/** A file as it is found by its id: what it is a document of, and whose. */
import type { Entity } from './entity.ts'

export interface AttachedFile {
  readonly id: string
  readonly name: string
  readonly entity: Entity
  readonly entityId: string
  readonly vaultId: string
}
