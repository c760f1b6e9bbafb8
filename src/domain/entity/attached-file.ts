/** Rules for attached files. Each file belongs to one application or identification. */
import type { Entity } from './entity.ts'

export interface AttachedFile {
  readonly id: string
  readonly name: string
  readonly entity: Entity
  readonly entityId: string
  readonly vaultId: string
}
