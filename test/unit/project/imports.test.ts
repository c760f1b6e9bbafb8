/** Tests the import directions against the tables in docs/architecture.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { folderOf, namesIn, type Row, readTable, TABLES } from '../../../dev/documents/import-drawings.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

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

const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
const [FOLDER_ROWS, PART_ROWS] = TABLES.map((heading) => readTable(PAGE, heading)) as [Row[], Row[]]
const rowOf = (file: string, rows: readonly Row[] = FOLDER_ROWS) =>
  rows.find(({ what }) => what.some((each) => within(file, each)))

const ROOMS = new Set(PART_ROWS.flatMap(({ what }) => what.map(folderOf)))
/** The imports between the files of a folder that has parts. */
const INNER = ALL.filter(({ from, to }) => ROOMS.has(folderOf(from)) && folderOf(from) === folderOf(to))

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
    const code = ALL.filter(({ to }) => !to.endsWith('.json'))
    const missing = code.filter(({ to }) => FOLDERS.some((each) => within(to, each)) && !known.has(to))
    expect(show(missing)).toEqual([])
  })
  test('finds each file in exactly one row of each table, and files for each row', () => {
    const inRooms = FILES.filter((file) => ROOMS.has(folderOf(file)))
    for (const [files, table] of [[FILES, FOLDER_ROWS] as const, [inRooms, PART_ROWS] as const])
      for (const file of files) {
        const rows = table.filter(({ what }) => what.some((each) => within(file, each)))
        expect(rows.length, file).toBe(1)
      }
    for (const { what, ours } of [...FOLDER_ROWS, ...PART_ROWS])
      for (const name of [...what, ...ours])
        expect(
          FILES.some((file) => within(file, name)),
          name,
        ).toBe(true)
  })
})

describe.each([
  ['folder', FOLDER_ROWS, ALL],
  ['part of a folder', PART_ROWS, INNER],
] as const)('each %s', (_, table, imports) => {
  test('imports only what its row names, types included', () => {
    const wrong = imports.filter(({ from, to }) => {
      const row = rowOf(from, table)
      const allowed = [...(row?.ours ?? []), ...(row?.what ?? [])]
      return isOurs(to) && !allowed.some((each) => within(to, each))
    })
    expect(show(wrong)).toEqual([])
  })
  test('imports only what stands above it in the table, so that there is no circle', () => {
    const above = new Set<string>()
    for (const { what, ours } of table) {
      for (const name of ours) expect(above.has(name), `${what.join(', ')}: ${name}`).toBe(true)
      for (const name of what) above.add(name)
    }
  })
  test('imports all that its row names', () => {
    const idle = table.flatMap(({ what, ours }) =>
      ours
        .filter(
          (name) =>
            !imports.some(({ from, to }) => what.some((each) => within(from, each)) && within(to, name)),
        )
        .map((name) => `${what.join(', ')}: ${name}`),
    )
    expect(idle).toEqual([])
  })
})

test('only folders in the table of parts have subfolders with code', () => {
  const flat = FILES.filter((file) => file.startsWith('src/') && !ROOMS.has(folderOf(file)))
  expect(flat.filter((file) => file.split('/').length > 3)).toEqual([])
})

test('each part imports only the libraries in its row', () => {
  const wrong = ALL.filter(({ from, to }) => {
    const libraries = rowOf(from)?.libraries ?? 'any'
    return !isOurs(to) && libraries !== 'any' && !namesIn(libraries).includes(to)
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
