/** Tests how a hit compares the case with the list entry. */
import { expect, test } from 'vitest'
import { compareHit } from '../../../src/domain/screening/comparison.ts'

const entry = {
  ...{ id: 'e1', caption: 'Ada', kind: 'person' as const, names: ['Ada'], weakNames: [] },
  ...{ birthDates: ['1972'], countries: ['cz'], registrationNumbers: [], topics: [], datasets: [] },
}
const subject = { key: 'person', kind: 'person' as const, names: ['Ada'], countries: ['cz'] }
const compare = (more: object, ...names: string[]) =>
  compareHit({
    entry,
    subject: { ...subject, ...more },
    score: 1,
    parts: names.map((name) => ({ name, score: 1, detail: null })),
  })

test.each([
  [compare({}, 'name_exact'), ['same', 'unknown', 'same', 'unknown']],
  [compare({ birthDate: '1972-06-14' }, 'name_phonetic'), ['close', 'close', 'same', 'unknown']],
  [compare({ birthDate: '1972' }, 'surname_differs'), ['differs', 'same', 'same', 'unknown']],
  [
    compare({ birthDate: '1961-01-01', countries: [] }, 'birth_year_differs'),
    ['close', 'differs', 'unknown', 'unknown'],
  ],
  [
    compare({ countries: ['de'] }, 'name_exact', 'country_differs'),
    ['same', 'unknown', 'differs', 'unknown'],
  ],
])('compares names, birth, countries and numbers: %o', (found, [names, born, countries, number]) => {
  expect(found).toEqual({ names, born, countries, number })
})
