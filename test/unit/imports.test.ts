/** The directions of dependencies (design, section 8), read from the import statements. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Import {
  readonly from: string
  /** A path from the root for files of ours, else the name of the package or of Node's module. */
  readonly to: string
  readonly typeOnly: boolean
}

/** Statements, exports from elsewhere and dynamic imports; comments and other texts are not looked at. */
const STATEMENT =
  /^[ \t]*(?:import|export)\s+(type\s+)?([\w$*,\s{}]+?)\sfrom\s+'([^']+)'|^[ \t]*import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

function importsOf(from: string): Import[] {
  const source = readFileSync(join(ROOT, from), 'utf8')
  return [...source.matchAll(STATEMENT)].map(([, type, names = '', ...specifiers]) => {
    const specifier = specifiers.find((each) => each !== undefined) ?? ''
    const to = specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier
    return { from, to, typeOnly: type !== undefined || namesTypesOnly(names) }
  })
}

/** `{ type A, type B }` is gone at run time like `type { A, B }`. */
function namesTypesOnly(names: string): boolean {
  const listed = /^\{([^}]*)\}$/
    .exec(names.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim())
  return listed?.filter(Boolean).every((name) => name.startsWith('type ')) ?? false
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => relative(ROOT, join(ROOT, folder, name)))

const FOLDERS = ['src', 'workflows', 'activities', 'drizzle'] as const
const ALL = FOLDERS.flatMap(filesIn).flatMap(importsOf)

const within = (path: string, ...folders: string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
const isOurs = (path: string) => within(path, ...FOLDERS, 'dev', 'test', 'bench')
const from = (...folders: string[]) => ALL.filter((each) => within(each.from, ...folders))
const show = (imports: readonly Import[]) => imports.map(({ from: file, to }) => `${file} imports ${to}`)
const atRunTime = ({ typeOnly }: Import) => !typeOnly

describe('the reader of imports', () => {
  test('finds every import statement there is', () => {
    const files = FOLDERS.flatMap(filesIn)
    const written = files.flatMap(
      (file) =>
        readFileSync(join(ROOT, file), 'utf8')
          .match(/^(import\b.*|.*\bfrom '[^']+'.*)$/gm)
          ?.filter((line) => /'[^']+'/.test(line)) ?? [],
    )
    expect(ALL.length).toBe(written.length)
    expect(ALL.length).toBeGreaterThan(200)
  })
  test('every file of ours that is imported exists', () => {
    const files = new Set(FOLDERS.flatMap(filesIn))
    expect(show(ALL.filter(({ to }) => isOurs(to) && !files.has(to) && !within(to, 'dev', 'test')))).toEqual(
      [],
    )
  })
})

describe('dependencies point one way', () => {
  test('the domain imports nothing but the domain, not even a library', () => {
    expect(show(from('src/domain').filter(({ to }) => !within(to, 'src/domain')))).toEqual([])
  })
  test('contracts import the domain and libraries', () => {
    const wrong = from('src/contracts').filter(
      ({ to }) => isOurs(to) && !within(to, 'src/domain', 'src/contracts'),
    )
    expect(show(wrong)).toEqual([])
  })
  test('workflows import Temporal, the domain, each other and types of activities', () => {
    const wrong = from('workflows').filter(
      ({ to, typeOnly }) =>
        !within(to, 'workflows', 'src/domain') &&
        !['@temporalio/workflow', '@temporalio/common'].includes(to) &&
        !(typeOnly && within(to, 'activities')),
    )
    expect(show(wrong)).toEqual([])
  })
  test('queries know neither HTTP, Temporal, activities nor pages', () => {
    const wrong = from('src/db', 'drizzle').filter(
      ({ to, typeOnly }) =>
        within(to, 'src/http', 'src/temporal', 'src/pages', 'src/webhooks', 'activities') ||
        to.startsWith('@temporalio/') ||
        to.startsWith('express') ||
        (!typeOnly && within(to, 'workflows')),
    )
    expect(show(wrong)).toEqual([])
  })
  test('storage and access know no layer above them', () => {
    const wrong = from('src/storage', 'src/access')
      .filter(atRunTime)
      .filter(
        ({ to }) =>
          isOurs(to) &&
          !within(to, 'src/storage', 'src/access', 'src/domain', 'src/config.ts', 'drizzle/schema.ts'),
      )
    expect(show(wrong)).toEqual([])
  })
  test('the HTTP layer reaches workflows and activities through the gateway alone', () => {
    expect(
      show(
        from('src/http', 'src/pages')
          .filter(atRunTime)
          .filter(({ to }) => within(to, 'workflows', 'activities')),
      ),
    ).toEqual([])
  })
  test('activities do not know HTTP', () => {
    expect(show(from('activities').filter(({ to }) => within(to, 'src/http', 'src/pages')))).toEqual([])
  })
  test('only what composes an API and a worker imports HTTP and activities', () => {
    const roots = ['src/compose.ts', 'src/server.ts']
    const wrong = ALL.filter(atRunTime).filter(
      (each) =>
        (within(each.to, 'src/http') && !within(each.from, 'src/http', ...roots)) ||
        (within(each.to, 'activities') && !within(each.from, 'activities', ...roots)),
    )
    expect(show(wrong)).toEqual([])
  })
  test('nothing that is deployed imports dev, test or bench', () => {
    expect(show(ALL.filter(({ to }) => within(to, 'dev', 'test', 'bench')))).toEqual([])
  })
  test('only the processes import what composes them, and nobody imports a process', () => {
    const processes = ['src/server.ts', 'src/worker.ts', 'src/cli.ts']
    const wrong = ALL.filter(
      (each) =>
        processes.includes(each.to) || (each.to === 'src/compose.ts' && !processes.includes(each.from)),
    )
    expect(show(wrong)).toEqual([])
  })
})
