/** Routes that exist once for applications and once for identifications. */
import type { Entity } from '../../domain/entity/entity.ts'
import type { Route } from './route.ts'

export type EntityPath = `/${string}/:id`

type RoutesOf = (noun: string, path: EntityPath, entity: Entity) => readonly Route[]

/** Builds the routes of both kinds of entity. `noun` is the part of their names, and `path` the path of one entity. */
export const entityRoutes = (routesOf: RoutesOf): readonly Route[] => [
  ...routesOf('Kyb', '/kyb/:id', 'kyb'),
  ...routesOf('Identification', '/identifications/:id', 'identification'),
]
