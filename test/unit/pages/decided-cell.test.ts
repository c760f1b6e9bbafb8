/** Tests what lists of cases show about the state of a case and about its decision. */
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { DecidedCell, StatusCell } from '../../../src/pages/console/lists/queue-cells.tsx'
import { translate } from '../../../src/pages/texts/index.ts'

type Props = Parameters<typeof DecidedCell>[0]

const decided = { at: new Date('2026-11-27T15:42:00Z'), by: ['operator:1', 'operator:2'] }
const people = new Map([
  ['operator:1', 'ada.keller@bank.example'],
  ['operator:2', 'tomo@bank.example'],
])

test.each([
  [
    'en',
    { outcome: 'not_submitted', waitingOn: 'client' },
    'Not submitted Started 26\u00a0Nov\u00a02026',
    'Not decided',
  ],
  [
    'de',
    { outcome: 'not_submitted', waitingOn: 'applicant' },
    'Nicht eingereicht Begonnen am 26.11.2026',
    'Nicht entschieden',
  ],
  [
    'en',
    { outcome: 'in_review', waitingOn: 'operator' },
    'In review Waiting on: Operator, 2 hr',
    'Not decided',
  ],
  [
    'de',
    { outcome: 'changes_requested', waitingOn: 'applicant' },
    'Änderungen angefordert Wartet auf: Antragsteller, 2 Std.',
    'Nicht entschieden',
  ],
  [
    'en',
    { outcome: 'in_review', waitingOn: 'operator', pending: {} },
    'In review Waiting for second approval',
    'Not decided',
  ],
  ['en', { outcome: 'closed', waitingOn: 'nobody' }, 'Closed ', ''],
  [
    'en',
    { outcome: 'approved', waitingOn: 'nobody', decided },
    'Approved ',
    'AKada.keller@bank.exampletomo@bank.example27\u00a0Nov\u00a02026, 15:42',
  ],
] as const)('in %s, %o has the state %s and the decision %s', (language, given, state, decision) => {
  const frame = { language, t: translate(language) } as Frame
  const entry = {
    ...{ pending: null, decided: null, createdAt: new Date('2026-11-26T09:00:00Z') },
    ...{ waitingSince: new Date(Date.now() - 2 * 3_600_000), ...given },
  } as unknown as Props['entry'] & Pick<Props, 'decided'>
  const textOf = (cell: ReturnType<typeof DecidedCell>) =>
    cell === null ? '' : renderToString(cell).replaceAll(/<[^>]*>/g, '')
  expect(textOf(StatusCell({ frame, entry }))).toBe(state)
  expect(textOf(DecidedCell({ frame, entry, decided: entry.decided, people }))).toBe(decision)
})
