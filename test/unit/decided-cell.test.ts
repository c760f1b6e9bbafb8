/** Tests what lists of cases show for a case without a decision. */
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import type { Frame } from '../../src/pages/components/layout.tsx'
import { DecidedCell } from '../../src/pages/console/queue-cells.tsx'
import { translate } from '../../src/pages/texts/index.ts'

type Props = Parameters<typeof DecidedCell>[0]

test.each([
  ['en', { outcome: 'not_submitted', waitingOn: 'client' }, 'Started 26\u00a0Nov\u00a02026'],
  ['de', { outcome: 'not_submitted', waitingOn: 'applicant' }, 'Begonnen am 26.11.2026'],
  ['en', { outcome: 'in_review', waitingOn: 'operator' }, 'Waiting on: Operator, 2 hr'],
  ['de', { outcome: 'changes_requested', waitingOn: 'applicant' }, 'Wartet auf: Antragsteller, 2 Std.'],
  ['en', { outcome: 'in_review', waitingOn: 'operator', pending: {} }, 'Waiting for second approval'],
  ['en', { outcome: 'closed', waitingOn: 'nobody' }, ''],
] as const)('in %s, %o is %s', (language, given, text) => {
  const frame = { language, t: translate(language) } as Frame
  const entry = {
    ...{ pending: null, createdAt: new Date('2026-11-26T09:00:00Z') },
    ...{ waitingSince: new Date(Date.now() - 2 * 3_600_000), ...given },
  } as unknown as Props['entry']
  const cell = DecidedCell({ frame, entry, decided: null, people: new Map() })
  expect(cell === null ? '' : renderToString(cell).replaceAll(/<[^>]*>/g, '')).toBe(text)
})
