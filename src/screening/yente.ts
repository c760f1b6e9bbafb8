/** Screens with yente, the matching engine of OpenSanctions, or with a service that has the same API. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ListEntry, Match, ScorePart, Subject } from '../domain/screening/screening.ts'
import { SettingsError } from '../process/settings-error.ts'
import { entity, entryOf } from './list-file.ts'
import { bestOf, MAX_MATCHES, type Screener } from './screener.ts'

/** Must change whenever another part of the responses is stored, so that all entities are screened again. */
const KEPT = 'yente-2'
const TIMEOUT_MS = 5_000
/** The largest response to a batch, with a thousand entries of 30 kB. */
const MAX_ANSWER_BYTES = 32_000_000
const VERSION_MS = 60_000
/**
 * The number of subjects per request. Yente compares up to 500 entries with each subject, so a larger batch would take
 * too long.
 */
const BATCH = 10
/** The limits of a stored entry, because each page of the case decrypts and shows it. */
const [MAX_TEXT, MAX_TEXTS, MAX_PARTS] = [500, 500, 50]
/** The maximum length of a version, which the row of each entity contains. */
const MAX_VERSION = 200

interface YenteSettings {
  readonly url: string
  readonly dataset: string
  readonly apiKey?: string | undefined
  readonly threshold: number
  readonly timeoutMs?: number
  readonly maxAnswerBytes?: number
}

/** Creates an error whose message can be logged, because Gatehouse wrote it. */
const createYenteError = (what: string) => new SettingsError(`YENTE_URL: ${what}`)

const dataset = z.object({
  name: z.string(),
  version: z.string().max(MAX_VERSION).nullish(),
  /**
   * The version of the index that is searched. Null if the dataset has no index of its own, and missing in old releases
   * of yente.
   */
  index_version: z.string().max(MAX_VERSION).nullish(),
  children: z.array(z.string()).nullish(),
})
type Dataset = z.output<typeof dataset>
const catalog = z.object({ datasets: z.array(dataset) })

/** New releases of yente explain each feature, while old ones only return its score. */
const result = entity.extend({
  id: z.string().min(1).max(MAX_TEXT),
  score: z.number(),
  features: z.record(z.string(), z.number()).default({}),
  explanations: z
    .record(z.string(), z.object({ score: z.number(), detail: z.string().nullish() }))
    .optional(),
})
const answer = z.object({ responses: z.record(z.string(), z.object({ results: z.array(result) })) })

export function createYente({
  url,
  dataset: name,
  apiKey,
  threshold,
  timeoutMs = TIMEOUT_MS,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: YenteSettings): Screener {
  let known: { readonly version: string; readonly until: number } | null = null

  /**
   * Sends a request. Throws errors without the content of the request or response, because this content is personal
   * data.
   */
  async function ask<S extends z.ZodType>(path: string, schema: S, body?: object): Promise<z.output<S>> {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: body ? 'POST' : 'GET',
      // A redirect could send personal data and the key to any server.
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        ...(apiKey !== undefined && { Authorization: `ApiKey ${apiKey}` }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw createYenteError(`yente returned ${response.status}`)
    }
    const parsed = schema.safeParse(JSON.parse(await readText(response, maxAnswerBytes)))
    if (!parsed.success) throw createYenteError('yente returned an unexpected response')
    return parsed.data
  }

  async function readVersion(): Promise<string> {
    const { datasets } = await ask('/catalog', catalog)
    const found = datasets.find((each) => each.name === name)
    const version = found && versionOf(found, datasets)
    if (!version) throw createYenteError('yente does not have the dataset, or has not loaded it')
    return `${KEPT}:${threshold}:${name}:${version}`
  }

  return {
    async version() {
      if (!known || known.until < performance.now())
        known = { version: await readVersion(), until: performance.now() + VERSION_MS }
      return known.version
    },
    async match(subjects) {
      const matches = new Map<string, readonly Match[]>()
      const query = new URLSearchParams({ threshold: String(threshold), limit: String(MAX_MATCHES) })
      for (let start = 0; start < subjects.length; start += BATCH) {
        const batch = subjects.slice(start, start + BATCH)
        const queries = Object.fromEntries(batch.map((subject) => [subject.key, exampleOf(subject)]))
        const path = `/match/${encodeURIComponent(name)}?${query}`
        const { responses } = await ask(path, answer, { queries })
        for (const { key } of batch) {
          const response = responses[key]
          if (!response) throw createYenteError('yente omitted a subject from its response')
          matches.set(key, bestOf(response.results.map(matchOf).filter(({ score }) => score >= threshold)))
        }
      }
      return matches
    },
  }
}

/** Reads a response. Throws as soon as it exceeds the limit, without reading the rest. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw createYenteError(`yente returned more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns the version of the data that is searched, or null if no data is indexed. */
function versionOf(found: Dataset, all: readonly Dataset[]): string | null {
  if (found.index_version === undefined) return found.version ?? null
  if (found.index_version !== null) return found.index_version
  // Without its own index, a dataset is searched in the index of a collection that contains it, or in those of its
  // parts.
  const own = within(found, all)
  const indexed = all.filter(
    (each) => each.index_version && [...within(each, all)].some((name) => own.has(name)),
  )
  const versions = indexed.map((each) => `${each.name} ${each.index_version}`).sort()
  return versions.length > 1 ? hashOf(versions.join('\n')) : (indexed[0]?.index_version ?? null)
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Returns the names of the dataset and of all its parts. */
function within({ name }: Dataset, all: readonly Dataset[]): Set<string> {
  const names = new Set([name])
  // The loop also visits names that it adds.
  for (const each of names)
    for (const child of all.find((other) => other.name === each)?.children ?? []) names.add(child)
  return names
}

/** Returns an example entity with the known data of the subject, which yente compares with its entries. */
function exampleOf(subject: Subject) {
  const { kind, names, surname, birthDate, incorporationDate, registrationNumber, countries } = subject
  const of = (value: string | undefined) => (value === undefined ? [] : [value])
  const properties: Record<string, readonly string[]> =
    kind === 'person'
      ? { name: names, lastName: of(surname), birthDate: of(birthDate), nationality: countries }
      : {
          name: names,
          jurisdiction: countries,
          registrationNumber: of(registrationNumber),
          incorporationDate: of(incorporationDate),
        }
  const given = Object.entries(properties).filter(([, values]) => values.length > 0)
  return { schema: kind === 'person' ? 'Person' : 'Company', properties: Object.fromEntries(given) }
}

const short = (text: string): string => text.slice(0, MAX_TEXT)

const few = (texts: readonly string[]) =>
  // Sorts them first, because yente can reorder them.
  texts.length > MAX_TEXTS ? texts.toSorted().slice(0, MAX_TEXTS) : texts

/** Shortens the texts and lists of an entry. */
const limited = (entry: ListEntry): ListEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]: [string, string | readonly string[]]) => [
      name,
      typeof value === 'string' ? short(value) : few(value).map(short),
    ]),
  ) as unknown as ListEntry

function matchOf({ score, features, explanations, ...found }: z.output<typeof result>): Match {
  const explained: ScorePart[] = explanations
    ? Object.entries(explanations).map(([name, part]) => ({
        name: short(name),
        score: part.score,
        detail: part.detail == null ? null : short(part.detail),
      }))
    : Object.entries(features).map(([name, value]) => ({ name: short(name), score: value, detail: null }))
  const parts = explained.filter((part) => part.score !== 0).slice(0, MAX_PARTS)
  return { entry: limited(entryOf(found)), score, parts }
}
