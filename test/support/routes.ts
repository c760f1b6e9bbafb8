/** Reads all routes of an app from the app itself. */
import type { Express } from 'express'
import { BASES } from '../../src/api/app.ts'

export interface AnyRoute {
  readonly method: string
  /** The declared path, such as `/kyb/:id`. */
  readonly path: string
}

export interface MountedRoute extends AnyRoute {
  readonly audience: keyof typeof BASES
}

interface Layer {
  readonly handle: { readonly stack?: readonly Layer[] }
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> }
  match(path: string): boolean
}

/** Middleware without a path matches every path. */
const isBelow = (layer: Layer, base: string): boolean => layer.match(`${base}/any`) && !layer.match('/any')

const routesIn = (layers: readonly Layer[]): AnyRoute[] =>
  layers.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {})
      // `_all` stands for all other methods of a path, which return 405.
      .filter((method) => method !== '_all')
      .map((method) => ({ method: method.toUpperCase(), path: route?.path ?? '' })),
  )

const layersOf = (app: Express) => app.router.stack as unknown as Layer[]

export const routesBelow = (app: Express, base: string): AnyRoute[] =>
  layersOf(app)
    .filter((layer) => isBelow(layer, base))
    .flatMap(({ handle }) => handle.stack ?? [])
    .flatMap((layer) => routesIn(layer.match('/any') ? (layer.handle.stack ?? []) : [layer]))

export const mountedRoutes = (app: Express): MountedRoute[] =>
  Object.entries(BASES).flatMap(([audience, base]) =>
    routesBelow(app, base).map((route) => ({ ...route, audience: audience as keyof typeof BASES })),
  )

const AREAS = ['/settings', '/client']

/** Returns the pages and forms of the console, with their complete paths. */
export function consoleRoutes(app: Express): AnyRoute[] {
  const below = (layers: readonly Layer[], base: string): AnyRoute[] => [
    ...routesIn(layers).map(({ method, path }) => ({ method, path: base + path })),
    ...layers.flatMap((layer) =>
      below(layer.handle.stack ?? [], base + (AREAS.find((area) => isBelow(layer, area)) ?? '')),
    ),
  ]
  const pages = layersOf(app).flatMap(({ handle }) => handle.stack ?? [])
  return pages
    .filter((layer) => isBelow(layer, '/console'))
    .flatMap(({ handle }) => below(handle.stack ?? [], '/console'))
    .filter(({ path }) => !path.endsWith('/*rest'))
}
