/** Reads all routes of an app from the app itself. */
import type { Express } from 'express'
import { BASES } from '../../src/api/app.ts'

export interface MountedRoute {
  readonly audience: keyof typeof BASES
  readonly method: string
  /** The declared path, such as `/kyb/:id`. */
  readonly path: string
}

interface Layer {
  readonly handle: { readonly stack?: readonly Layer[] }
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> }
  match(path: string): boolean
}

export function mountedRoutes(app: Express): MountedRoute[] {
  const routers = (app.router.stack as unknown as Layer[]).filter(({ handle }) => handle.stack)
  return Object.entries(BASES).flatMap(([audience, base]) =>
    routers
      // Middleware without a path matches every path.
      .filter((layer) => layer.match(`${base}/any`) && !layer.match('/any'))
      .flatMap(({ handle }) => handle.stack ?? [])
      .flatMap(({ route }) =>
        Object.keys(route?.methods ?? {})
          // Represents all other methods of a path, which return 405.
          .filter((method) => method !== '_all')
          .map((method) => ({
            audience: audience as keyof typeof BASES,
            method: method.toUpperCase(),
            path: route?.path ?? '',
          })),
      ),
  )
}
