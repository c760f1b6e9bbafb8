/** Creates gauges whose values are read when Prometheus scrapes them. */
import { LRUCache } from 'lru-cache'
import { Gauge, type Registry } from 'prom-client'

/** A value that cannot be read is NaN, which no alert rule matches. */
type Reading = number | null | undefined

const numberOf = (reading: Reading): number => reading ?? Number.NaN

/** Creates a gauge without labels. */
export function measureOne(registry: Registry, name: string, help: string, read: () => Promise<Reading>) {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(numberOf(await read()))
    },
  })
}

/** Creates a gauge with one value for each label. */
export function measure<Label extends string>(
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  read: () => Promise<Iterable<readonly [Label, Reading]>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      this.reset()
      for (const [key, reading] of await read()) this.set({ [label]: key }, numberOf(reading))
    },
  })
}

/** The interval between two attempts at a reading that fails. */
const FAILED_MS = 10_000

/** Caches a reading. Returns null if the reading fails. */
export function cacheReading<T>(everyMs: number, read: () => Promise<T>): () => Promise<T | null> {
  const known = new LRUCache<'asked', { asked: T | null }>({
    max: 1,
    ttl: everyMs,
    fetchMethod: (_key, _stale, { options }) =>
      read().then(
        (asked) => ({ asked }),
        () => {
          options.ttl = FAILED_MS
          return { asked: null }
        },
      ),
  })
  return async () => (await known.fetch('asked'))?.asked ?? null
}
