/** Tests the total of a company's shares, and the advice about roles. */
import { expect, test } from 'vitest'
import { sharesOf } from '../../../src/domain/kyb/shares.ts'

const person = (
  external_id: string,
  stake_in_company?: string,
  roles: ('ubo' | 'shareholder')[] = ['ubo'],
) => ({
  external_id,
  email: `${external_id}@example.com`,
  ...(stake_in_company !== undefined && { stake_in_company }),
  roles,
})

test('adds up shares without rounding errors, and leaves out people without a share', () => {
  const { total, isOver, holders } = sharesOf([
    person('a', '33.3'),
    person('b', '33.3'),
    person('c', '33.4'),
    person('d', '0'),
    person('e'),
  ])
  expect([total, isOver, holders.length]).toEqual([100, false, 3])
  expect(sharesOf([person('a', '0.1'), person('b', '0.2')])).toMatchObject({ total: 0.3, missing: 99.7 })
})

test('reports more than 100 percent', () => {
  expect(sharesOf([person('a', '60'), person('b', '40.000001')])).toMatchObject({ isOver: true, missing: 0 })
})

test('names people who hold at least 25 percent but are not owners', () => {
  const people = [person('a', '25', ['shareholder']), person('b', '24.9', ['shareholder']), person('c', '50')]
  expect(sharesOf(people).withoutRole.map(({ external_id }) => external_id)).toEqual(['a'])
})

test.each([
  [['33.33', '33.33', '33.33'], true, false, 0],
  [['33.3', '33.3', '33.3'], true, false, 0],
  [['16.67', '16.67', '16.67', '16.67', '16.67', '16.67'], true, false, 0],
  [['66.667', '33.333'], true, false, 0],
  [['14.2857', '14.2857', '14.2857', '14.2857', '14.2857', '14.2857', '14.2857'], true, false, 0],
  [['12.5', '12.5', '75'], true, false, 0],
  [['33', '33', '33'], false, false, 1],
  [['99.9'], false, false, 0.1],
  [['60', '40.01'], false, true, 0],
  [['50.5', '50.5'], false, true, 0],
  [['85'], false, false, 15],
  [['60'], false, false, 40],
])(
  'the shares %j are complete: %s, more than all: %s, and leave %s',
  (stakes, isComplete, isOver, missing) => {
    const people = stakes.map((stake, nth) => person(String(nth), stake))
    expect(sharesOf(people)).toMatchObject({
      isComplete,
      isOver,
      missing,
      isOfOthers: missing > 0 && missing < 25,
    })
  },
)
