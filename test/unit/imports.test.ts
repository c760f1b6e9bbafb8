/** Tests the import directions against the table in docs/architecture.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Import {
  readonly from: string
  /** A path from the root for files of the project, otherwise the name of the package or Node module. */
  readonly to: string
}

/** Matches import statements, re-exports and dynamic imports, but not comments or other text. */
const STATEMENT =
  /^[ \t]*(?:import|export)\s+(?:type\s+)?[\w$*,\s{}]+?\sfrom\s+'([^']+)'|^[ \t]*import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

function importsOf(from: string): Import[] {
  const source = readFileSync(join(ROOT, from), 'utf8')
  return [...source.matchAll(STATEMENT)].map(([, ...specifiers]) => {
    const specifier = specifiers.find((each) => each !== undefined) ?? ''
    const to = specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier
    return { from, to }
  })
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => relative(ROOT, join(ROOT, folder, name)))

const FOLDERS = ['src', 'workflows', 'activities', 'drizzle'] as const
const FILES = FOLDERS.flatMap(filesIn)
const ALL = FILES.flatMap(importsOf)

const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const show = (imports: readonly Import[]) => imports.map(({ from: file, to }) => `${file} imports ${to}`)
const isOurs = (path: string) => existsSync(join(ROOT, path))

interface Row {
  readonly what: readonly string[]
  readonly ours: readonly string[]
  /** Null if any library is allowed. */
  readonly libraries: readonly string[] | null
}

const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Returns the rows below the heading. A row begins with a name in backquotes. */
function readTable(): Row[] {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split(
    '\n## Import directions',
  )
  const [own = ''] = section.split('\n## ')
  const rows = own.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) => {
    const [, what = '', ours = '', libraries = ''] = line.split('|')
    return {
      what: namesIn(what),
      ours: namesIn(ours),
      libraries: libraries.trim() === 'any' ? null : namesIn(libraries),
    }
  })
}

const TABLE = readTable()
const rowOf = (file: string) => TABLE.find(({ what }) => what.some((each) => within(file, each)))

describe('the import reader', () => {
  test('finds every import statement', () => {
    const written = FILES.flatMap(
      (file) =>
        readFileSync(join(ROOT, file), 'utf8')
          .match(/^(import\b.*|.*\bfrom '[^']+'.*)$|\bimport\('[^']+'\)/gm)
          ?.filter((line) => /'[^']+'/.test(line)) ?? [],
    )
    expect(ALL.length).toBe(written.length)
    expect(ALL.length).toBeGreaterThan(200)
  })
  test('finds every imported file of the project', () => {
    const known = new Set(FILES)
    const missing = ALL.filter(({ to }) => FOLDERS.some((each) => within(to, each)) && !known.has(to))
    expect(show(missing)).toEqual([])
  })
  test('finds each file in exactly one row of the table, and files for each row', () => {
    for (const file of FILES) {
      const rows = TABLE.filter(({ what }) => what.some((each) => within(file, each)))
      expect(rows.length, file).toBe(1)
    }
    for (const { what, ours } of TABLE)
      for (const name of [...what, ...ours])
        expect(
          FILES.some((file) => within(file, name)),
          name,
        ).toBe(true)
  })
})

test('each part imports only the parts in its row, types included', () => {
  const wrong = ALL.filter(({ from, to }) => {
    const row = rowOf(from)
    const allowed = [...(row?.ours ?? []), ...(row?.what ?? [])]
    return isOurs(to) && !allowed.some((each) => within(to, each))
  })
  expect(show(wrong)).toEqual([])
})

test('each part imports only parts above it in the table', () => {
  const above = new Set<string>()
  for (const { what, ours } of TABLE) {
    for (const name of ours) expect(above.has(name), `${what.join(', ')}: ${name}`).toBe(true)
    for (const name of what) above.add(name)
  }
})

test('each row names only parts that are imported', () => {
  const idle = TABLE.flatMap(({ what, ours }) =>
    ours
      .filter(
        (name) => !ALL.some(({ from, to }) => what.some((each) => within(from, each)) && within(to, name)),
      )
      .map((name) => `${what.join(', ')}: ${name}`),
  )
  expect(idle).toEqual([])
})

test('each part imports only the libraries in its row', () => {
  const wrong = ALL.filter(({ from, to }) => {
    const libraries = rowOf(from)?.libraries ?? null
    return !isOurs(to) && libraries !== null && !libraries.includes(to)
  })
  expect(show(wrong)).toEqual([])
})

test('some libraries are imported only in their own folders', () => {
  const HOMES: Record<string, readonly string[]> = {
    express: ['src/http', 'src/api', 'src/pages'],
    postgres: ['src/db'],
    '@temporalio/worker': ['src/temporal', 'src/compose', 'src/worker.ts'],
    '@temporalio/activity': ['activities'],
    undici: ['src/storage', 'src/webhooks'],
  }
  const wrong = ALL.filter(({ from, to }) => HOMES[to]?.every((home) => !within(from, home)) ?? false)
  expect(show(wrong)).toEqual([])
})
