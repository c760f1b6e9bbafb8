/**
 * Use cases for reports. Gatehouse reads one report at a time and caches it for a minute, so that reports use only one
 * connection.
 */
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Database } from '../../db/connection/database.ts'
import { FIGURE_QUERIES } from '../../db/lists/figures.ts'
import type { By } from '../../domain/access/audit.ts'
import type { FigureFilter, FigureName, Figures, ReadFigure } from '../../domain/review/figures.ts'
import { recordExport } from '../access/audit.ts'
import type { Deps } from '../base/deps.ts'

const KEPT_MS = 60_000

export function createFigures(db: Database): ReadFigure {
  const oneAtATime = pLimit(1)
  /** Caches promises, so that equal requests share one query. If a query fails, its promise is removed. */
  const kept = new LRUCache<string, Promise<Figures[FigureName]>>({ max: 200, ttl: KEPT_MS })
  return <N extends FigureName>(name: N, filter: FigureFilter) => {
    const key = [name, filter.period, [filter.scope].flat().join('+'), filter.kind].join()
    const known = kept.get(key)
    if (known) return known as Promise<Figures[N]>
    const read = oneAtATime(() => FIGURE_QUERIES[name](db, filter, new Date()))
    kept.set(key, read)
    read.catch(() => kept.delete(key))
    return read
  }
}

/** Returns a report that is at most one minute old. */
export const getFigure = <N extends FigureName>(
  { figures }: Pick<Deps, 'figures'>,
  name: N,
  filter: FigureFilter,
): Promise<Figures[N]> => figures(name, filter)

export async function exportFigure<N extends FigureName>(
  deps: Pick<Deps, 'db' | 'figures'>,
  by: By,
  name: N,
  filter: FigureFilter,
): Promise<Figures[N]> {
  await recordExport(deps, by, name, filter)
  return getFigure(deps, name, filter)
}
