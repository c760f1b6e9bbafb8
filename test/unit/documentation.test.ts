/** What the documentation says of commands, refusals, reasons and events is what the code does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorsDocument } from '../../dev/documents/errors-document.ts'
import { EVENTS, type EventName, envelopeKey, TOPICS } from '../../src/domain/events.ts'
import { BLOCK_REASONS, CASE_OWNERS, SERVICES } from '../../src/domain/holds.ts'
import {
  decideIdentification,
  IDENTIFICATION_COMMANDS,
  type IdentificationState,
  type IdentificationStatus,
} from '../../src/domain/identification.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

/** The cells of each row of a table whose first cell is code. */
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
  const stateOf = (status: IdentificationStatus): IdentificationState => ({
    verification: status === 'blocked' ? 'approved' : status,
    waitingOn: 'nobody',
    awaitsKyb: false,
    holds: status === 'blocked' ? [{ id: 'h', owner: 'client', services: SERVICES }] : [],
    version: 1,
  })
  test.each(IDENTIFICATION_COMMANDS)('the row of %s', (command) => {
    const row = rowsOf(document).find(
      ([first, ...rest]) => first === command && rest.length === STATUSES.length,
    )
    expect(row?.slice(1)).toEqual(
      STATUSES.map((status) => decideIdentification(stateOf(status), command)?.code ?? '+'),
    )
  })
  test('names every reason and owner', () => {
    for (const word of [...BLOCK_REASONS, ...CASE_OWNERS]) expect(document).toContain(`\`${word}\``)
  })
})

const DOCUMENTS = [
  'README.md',
  ...readdirSync(new URL('../../docs/', import.meta.url)).map((name) => `docs/${name}`),
]

test.each(DOCUMENTS)('every file that %s names is there', (name) => {
  const root = new URL('../../', import.meta.url)
  const named = readFileSync(new URL(name, root), 'utf8').matchAll(
    /`((?:src|workflows|activities|drizzle|test|dev|bench|client|docs)\/[\w./-]+)`/g,
  )
  expect([...named].map(([, path = '']) => path).filter((path) => !existsSync(new URL(path, root)))).toEqual(
    [],
  )
})

test('docs/errors.md is what `npm run documents` writes', () => {
  expect(read('errors.md')).toBe(errorsDocument())
})

describe('docs/webhooks.md', () => {
  test('has a row for every event, with its topic, attributes and key', () => {
    const rows = rowsOf(read('webhooks.md'))
    for (const [name, { topic, attributes }] of Object.entries(EVENTS)) {
      const row = rows.find(([first]) => first === name)
      expect(row?.[1], name).toBe(topic)
      expect(row?.[4]?.replace(/ \([^)]*\)/g, '').split(', '), name).toEqual(Object.keys(attributes))
      expect(row?.[5], name).toBe(envelopeKey(name as EventName))
    }
    expect(rows.filter(({ length }) => length === 6)).toHaveLength(Object.keys(EVENTS).length)
  })
  test('names every topic', () => {
    for (const topic of TOPICS) expect(read('webhooks.md')).toContain(`\`${topic}\``)
  })
})
