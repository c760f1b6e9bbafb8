/** Rules for the paths of entities in the console. */
import type { Entity } from './entity.ts'

const CONSOLE_FOLDERS: Record<Entity, string> = { kyb: 'kyb', identification: 'identifications' }
/** Returns the path of the entity's page in the console. */
export const consolePath = (entity: Entity, id: string): string => `/console/${CONSOLE_FOLDERS[entity]}/${id}`
