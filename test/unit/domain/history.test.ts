/** Tests the grouping of timeline entries into the items of a history. */
import { expect, test } from 'vitest'
import { groupHistory, onlySavesOf, type TimelineEntry } from '../../../src/domain/decision/timeline.ts'

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
  // A confirmed decision is one entry. The actions of others stay.
  [
    ['ada reject', 'bob confirm', 'bob case_read', 'day', 'ada reject_proposed', 'ada patch'],
    ['entry ada 3', 'views bob 1', 'saves ada 1'],
  ],
  [
    ['ada reject', 'bob confirm', 'ada approve_proposed'],
    ['entry ada 2', 'entry ada 1'],
  ],
  // A view between the steps does not divide them.
  [
    ['ada reject', 'cleo case_read', 'bob confirm', 'cleo case_read', 'ada reject_proposed'],
    ['entry ada 3', 'views cleo 2'],
  ],
  [
    ['ada reject', 'ada reject_proposed'],
    ['entry ada 1', 'entry ada 1'],
  ],
  [
    [
      'ada approve',
      'bob confirm',
      'ada approve_proposed',
      'ada reject',
      'bob confirm',
      'ada reject_proposed',
    ],
    ['entry ada 3', 'entry ada 3'],
  ],
])('%j is shown as %j', (entries, items) => {
  expect(grouped(...entries)).toEqual(items)
})

test.each([
  [[], {}],
  [['patch name'], {}],
  [['request_revision name', 'patch name'], { name: 1 }],
  [['patch city', 'request_revision name', 'patch name', 'attach file'], { name: 2, file: 3 }],
  [['request_revision name', 'patch name', 'patch city', 'fill_in name'], { city: 2 }],
  [['request_revision name', 'request_revision_proposed city'], {}],
  [['request_revision name', 'patch name', 'approve', 'patch city'], { city: 3 }],
])('of %j, only these entries changed their fields since the decision: %j', (texts, saves) => {
  const entries = texts.map((text, id) => {
    const [action = '', ...fields] = text.split(' ')
    return { action, fields, id } as unknown as TimelineEntry
  })
  const isDecision = (action: string) => ['approve', 'request_revision'].includes(action)
  expect(Object.fromEntries(onlySavesOf(entries, isDecision))).toEqual(saves)
})
