/** Guards how many published pairs of names screening finds, and how many it takes for each other by mistake. */
import { expect, test } from 'vitest'
import { countByKind, readPairs, sumOf } from '../../../bench/recall.ts'

const counts = countByKind(readPairs())

test('screening finds at least as many names as before, with at most as many false alarms', () => {
  const all = sumOf(counts)
  expect(all.same + all.others).toBeGreaterThanOrEqual(400)
  expect(all.found / all.same).toBeGreaterThanOrEqual(0.96)
  expect(all.falseAlarms / all.others).toBeLessThanOrEqual(0.05)
})

test('screening finds most names of each kind', () => {
  const low = counts.filter(({ same, found }) => found < same * 0.8)
  expect(low).toEqual([])
})
