/** Reads lists in the OpenSanctions format, in which each line is a FollowTheMoney entity in JSON. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { ListEntry } from '../domain/screening/screening.ts'
import { SettingsError } from '../process/settings-error.ts'

/** The schemas whose entities are screened. Lists also contain addresses, ships and relations. */
const KINDS: Readonly<Record<string, ListEntry['kind']>> = {
  Person: 'person',
  Company: 'company',
  Organization: 'company',
  PublicBody: 'company',
  LegalEntity: 'either',
}

/** Returns true for topics that are screened: sanctions, PEPs and their families, oligarchs, crime, debarment
 * and wanted people. */
const isWanted = (topic: string): boolean =>
  /^(sanction|role\.(pep|rca|pol|oligarch)|crime|debarment|wanted)/.test(topic)

/** An entity in a list or in a response from yente. Its properties can contain other entities. */
export const entity = z.object({
  id: z.string().min(1),
  schema: z.string(),
  caption: z.string(),
  properties: z.record(z.string(), z.array(z.unknown())),
  datasets: z.array(z.string()).default([]),
})

export function entryOf({ id, schema, caption, properties, datasets }: z.output<typeof entity>): ListEntry {
  const texts = (...names: readonly string[]) => [
    ...new Set(
      names
        .flatMap((name) => properties[name] ?? [])
        .filter((value): value is string => typeof value === 'string' && value !== ''),
    ),
  ]
  const countries = texts('nationality', 'citizenship', 'jurisdiction', 'mainCountry', 'country')
  return {
    id,
    caption,
    kind: KINDS[schema] ?? 'either',
    names: texts('name', 'alias', 'previousName'),
    weakNames: texts('weakAlias', 'abbreviation'),
    birthDates: texts('birthDate'),
    countries: [...new Set(countries.map((each) => each.toLowerCase()))],
    registrationNumbers: texts('registrationNumber', 'ogrnCode', 'innCode', 'leiCode'),
    topics: texts('topics'),
    datasets,
  }
}

const isTarget = ({ schema }: z.output<typeof entity>, { topics, names }: ListEntry): boolean =>
  schema in KINDS && names.length > 0 && topics.some(isWanted)

/** Returns a text that changes whenever files in the folder change. Does not read their content. */
export async function readFolderStamp(folder: string): Promise<string> {
  const files = await listFiles(folder)
  const stamps = await Promise.all(
    files.map(async (file) => {
      const { size, mtimeMs } = await stat(join(folder, file))
      return `${file} ${size} ${mtimeMs}`
    }),
  )
  return stamps.join('\n')
}

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((file) => /\.(json|jsonl|ndjson)$/.test(file)).sort()

/**
 * Passes each screened entry in the folder to `take` while reading, so that other work does not wait for long. Returns
 * a checksum of the content. Throws SettingsError if a line is not an entity. Also throws it if no entry is screened,
 * for example while a file is being replaced.
 */
export async function readList(folder: string, take: (entry: ListEntry) => void): Promise<string> {
  const hash = createHash('sha256')
  let taken = 0
  for (const file of await listFiles(folder)) {
    let line = 0
    for await (const text of createInterface({ input: createReadStream(join(folder, file)) })) {
      line += 1
      if (text.trim() === '') continue
      hash.update(text).update('\n')
      const parsed = entity.safeParse(parse(text))
      if (!parsed.success)
        throw new SettingsError(`SCREENING_LIST_DIR: line ${line} of ${file} is not a list entity.`)
      const entry = entryOf(parsed.data)
      if (!isTarget(parsed.data, entry)) continue
      take(entry)
      taken += 1
    }
  }
  if (taken === 0)
    throw new SettingsError(
      `SCREENING_LIST_DIR: ${folder} contains no list. Add .json, .jsonl or .ndjson files with companies or people.`,
    )
  return hash.digest('hex').slice(0, 16)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
