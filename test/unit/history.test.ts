/** Tests the grouping of timeline entries into the items of a history. */
import { expect, test } from 'vitest'
import { groupHistory, type TimelineEntry } from '../../src/domain/decision/timeline.ts'

/** Creates entries from texts such as "ada patch", newest first. Those after "day" are of the day before. */
function entriesOf(...texts: string[]): TimelineEntry[] {
  let day = 28
  return texts.flatMap((text, n) => {
    if (text === 'day') day -= 1
    const [actor = '', action = ''] = text.split(' ')
    const createdAt = new Date(Date.UTC(2026, 10, day, 12, 60 - n))
    const nothing = {
      from: null,
      to: null,
      reasonCode: null,
      fileId: null,
      clientComment: null,
      internalNote: null,
    }
    return text === 'day'
      ? []
      : [
          {
            ...nothing,
            id: 100 - n,
            action,
            actor,
            fields: [],
            files: [],
            findings: [],
            traceId: null,
            createdAt,
          },
        ]
  })
}

const grouped = (...texts: string[]) =>
  groupHistory(entriesOf(...texts)).map(
    ({ kind, entries: [first, ...others] }) => `${kind} ${first.actor} ${others.length + 1}`,
  )

test.each([
  [[], []],
  [['ada patch'], ['saves ada 1']],
  [['ada patch', 'ada attach', 'ada fill_in'], ['saves ada 3']],
  [
    ['ada case_read', 'bob case_read', 'ada file_read', 'bob file_read'],
    ['views ada 2', 'views bob 2'],
  ],
  [
    ['ada patch', 'bob case_read', 'ada patch'],
    ['saves ada 2', 'views bob 1'],
  ],
  [
    ['ada patch', 'bob approve', 'ada patch'],
    ['saves ada 1', 'entry bob 1', 'saves ada 1'],
  ],
  [
    ['ada note', 'ada note'],
    ['entry ada 1', 'entry ada 1'],
  ],
  [
    ['ada patch', 'day', 'ada patch'],
    ['saves ada 1', 'saves ada 1'],
  ],
])('%j is shown as %j', (entries, items) => {
  expect(grouped(...entries)).toEqual(items)
})
