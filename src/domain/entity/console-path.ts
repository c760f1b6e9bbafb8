/** Rules for the paths of entities in the console. */
import type { Entity } from './entity.ts'

const CONSOLE_FOLDERS: Record<Entity, string> = { kyb: 'kyb', identification: 'identifications' }
export const consolePath = (entity: Entity, id: string): string => `/console/${CONSOLE_FOLDERS[entity]}/${id}`
