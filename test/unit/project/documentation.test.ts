/** Tests that the documentation matches the code: commands, errors, reasons, events, settings and scripts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorsDocument } from '../../../dev/documents/errors-document.ts'
import { withHelmSettings } from '../../../dev/documents/helm-settings.ts'
import { withDrawings } from '../../../dev/documents/import-drawings.ts'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import { BLOCK_REASONS, INTERNAL_OWNERS, SERVICES } from '../../../src/domain/identification/holds.ts'
import {
  decideIdentification,
  IDENTIFICATION_COMMANDS,
  IDENTIFICATION_PARTIES,
  type IdentificationState,
  type IdentificationStatus,
} from '../../../src/domain/identification/identification.ts'
import { EVENTS, type EventName, envelopeKey } from '../../../src/domain/webhook/events.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

/** Returns the cells of each table row whose first cell is code. */
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | ').map((cell) => cell.trim().replaceAll('`', '')),
  )

describe('docs/identifications.md', () => {
  const document = read('identifications.md')
  const STATUSES: IdentificationStatus[] = [
    'initiated',
    'attention',
    'approved',
    'blocked',
    'rejected',
    'closed',
  ]
  const stateOf = (
    status: IdentificationStatus,
    waitingOn: IdentificationState['waitingOn'],
  ): IdentificationState => ({
    verification: status === 'blocked' ? 'approved' : status,
    waitingOn,
    awaitsKyb: false,
    holds: status === 'blocked' ? [{ id: 'h', owner: 'client', services: SERVICES }] : [],
    version: 1,
    pending: null,
  })
  test.each(IDENTIFICATION_COMMANDS)('has a correct row for %s', (command) => {
    const row = rowsOf(document).find(
      ([first, ...rest]) => first?.split(', ').includes(command) && rest.length === STATUSES.length,
    )
    // Some commands also depend on the party that the identification waits on.
    const answersIn = (status: IdentificationStatus) =>
      IDENTIFICATION_PARTIES.map(
        (party) => decideIdentification(stateOf(status, party), command)?.code ?? '+',
      )
    expect(row?.slice(1)).toEqual(
      STATUSES.map((status) => answersIn(status).find((answer) => answer === '+') ?? answersIn(status)[0]),
    )
  })
  test('names every reason and owner', () => {
    for (const word of [...BLOCK_REASONS, ...INTERNAL_OWNERS]) expect(document).toContain(`\`${word}\``)
  })
})

/** Includes subfolders, such as the decision records. */
const PAGES = [
  '../README.md',
  '../deploy/helm/README.md',
  ...readdirSync(new URL('../../../docs/', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md'),
  ),
]

test.each(PAGES)('%s names only existing files', (page) => {
  const root = new URL('../../../', import.meta.url)
  const named = read(page).matchAll(
    /`((?:src|workflows|activities|drizzle|test|dev|bench|client|docs|deploy|examples)\/[\w./-]+)`/g,
  )
  expect([...named].map(([, path = '']) => path).filter((path) => !existsSync(new URL(path, root)))).toEqual(
    [],
  )
})

test('docs/errors.md and the drawings of imports match the output of `npm run documents`', () => {
  expect(read('errors.md')).toBe(errorsDocument())
  expect(read('architecture.md')).toBe(withDrawings(read('architecture.md')))
})

describe('docs/webhooks.md', () => {
  test('has a row for every event, with its topic, cause, attributes and key', () => {
    const rows = rowsOf(read('webhooks.md'))
    for (const [name, { topic, sentWhen, statuses, attributes }] of Object.entries(EVENTS)) {
      const row = rows.find(([first]) => first === name)
      expect(row?.[1], name).toBe(topic)
      expect(row?.[2], name).toBe(sentWhen)
      expect(row?.[3], name).toBe(statuses.join(' or '))
      expect(row?.[4]?.replace(/ \([^)]*\)/g, '').split(', '), name).toEqual(Object.keys(attributes))
      expect(row?.[5], name).toBe(envelopeKey(name as EventName))
    }
    expect(rows.filter(({ length }) => length === 6)).toHaveLength(Object.keys(EVENTS).length)
  })
  test('names every topic', () => {
    for (const topic of TOPICS) expect(read('webhooks.md')).toContain(`\`${topic}\``)
  })
})

describe('docs/development.md', () => {
  test('names every script of package.json except those that npm runs itself', () => {
    const { scripts } = JSON.parse(read('../package.json')) as { scripts: Record<string, string> }
    const own = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name) && !name.includes(':'))
    const written = [...read('development.md').matchAll(/`npm (?:run )?([\w-]+)[^`]*`/g)].map(
      ([, name]) => name,
    )
    expect(own.filter((name) => !written.includes(name))).toEqual([])
  })
})

describe('documentation of settings', () => {
  const page = read('settings.md')
  const compose = read('../docker-compose.yml')
  const namesIn = (text: string, pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
  ]
  const inCompose = namesIn(compose, /(?<!\$)\$\{([A-Z_]+)/g)
  test('contains every setting of the processes', () => {
    const names = namesIn(read('../src/process/config.ts'), /^ {2}([A-Z_]+): /gm)
    expect(names).toContain('DATABASE_URL')
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
  test('contains every setting of Compose, as does .env.example', () => {
    const example = namesIn(read('../.env.example'), /^(?:# )?([A-Z_]+)=/gm)
    expect(inCompose.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
    expect(example.sort()).toEqual(inCompose.sort())
  })
  test('is the source of the settings that the Helm chart accepts', () => {
    const setting = (schema: string) => JSON.parse(schema).definitions.setting.enum
    const schema = read('../deploy/helm/values.schema.json')
    expect(setting(schema)).toEqual(setting(withHelmSettings(schema, page)))
    expect(setting(schema)).toContain('SCREENING')
  })
  test('lists every setting once in one table, with the places that accept it', () => {
    const [, settings = ''] = page.split('\n## All settings\n')
    const rows = rowsOf(settings.split('\n## ')[0] ?? '')
    const marked = (mark: string) =>
      rows.flatMap(([name, marks]) => (marks?.includes(mark) ? [name] : [])).sort()
    const ofProcesses = namesIn(read('../src/process/config.ts'), /^ {2}([A-Z_]+): /gm)
    const ofLauncher = namesIn(read('../dev/settings.ts'), /^ {2}([A-Z_]+): /gm)
    const handedOn = ofProcesses.filter((name) => name !== 'METRICS_PORT')
    expect(marked('C')).toEqual(inCompose.sort())
    expect(marked('P')).toEqual(ofProcesses.sort())
    expect(marked('S')).toEqual([...new Set([...ofLauncher, ...handedOn, 'TEMPORAL_CLI'])].sort())
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length)
  })
})

test.each(PAGES)('every link of %s leads to a file and a heading', (page) => {
  const here = new URL(`../../../docs/${page}`, import.meta.url)
  const links = [...read(page).matchAll(/(?:\]\(|src(?:set)?=")(?!https?:)([^)"]+)[)"]/g)].map(
    ([, link = '']) => link,
  )
  const missing = links.filter((link) => {
    const [file, anchor] = link.split('#')
    const there = file ? new URL(file, here) : here
    return !existsSync(there) || (anchor && !anchorsIn(readFileSync(there, 'utf8')).includes(anchor))
  })
  expect(missing).toEqual([])
})

/** Returns the anchors of the headings of a Markdown page. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

test('the README has at most 110 lines', () => {
  expect(read('../README.md').split('\n').length).toBeLessThanOrEqual(110)
})

describe('docs/decisions', () => {
  const index = read('decisions/README.md')
  const records = PAGES.filter((page) => /^decisions\/\d/.test(page)).sort()

  test('lists every record in the index with its title and status', () => {
    const rows = records.map((page) => {
      const [, title] = /^# (.+)\n/.exec(read(page)) ?? []
      const [, status] = /\n## Status\n\n(.+)\.\n/.exec(read(page)) ?? []
      const name = page.replace('decisions/', '')
      return `| ${name.slice(0, 4)} | [${title}](${name}) | ${status} |`
    })
    expect(rows.length).toBeGreaterThan(0)
    expect(index.split('\n').filter((line) => /^\| \d/.test(line))).toEqual(rows)
  })
  test.each(records)('contains %s with a numbered name, four sections and at most 40 lines', (page) => {
    const text = read(page)
    expect(page).toMatch(/^decisions\/\d{4}-[a-z0-9-]+\.md$/)
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'Status',
      'Context',
      'Decision',
      'Consequences',
    ])
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    expect(text).toMatch(/\n## Status\n\n(Accepted|Superseded by \d{4})\.\n/)
  })
  test('numbers each record once', () => {
    const numbers = records.map((page) => Number(page.slice('decisions/'.length, 'decisions/'.length + 4)))
    expect(numbers).toEqual([...new Set(numbers)])
  })
})
