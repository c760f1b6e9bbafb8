/** Tests the similarity scores of names and their explanations. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ListEntry, Subject } from '../../../src/domain/screening/screening.ts'
import { createListIndex } from '../../../src/screening/list-index.ts'
import { scoreOf, scoreParts } from '../../../src/screening/score.ts'
import { firmOf, likenessOfSounds, soundsOf } from '../../../src/screening/spelling.ts'
import { wordOf } from '../../../src/screening/word.ts'

const entry = (more: Partial<ListEntry>): ListEntry => ({
  id: 'e1',
  caption: '',
  kind: 'person',
  names: [],
  weakNames: [],
  birthDates: [],
  countries: [],
  registrationNumbers: [],
  topics: [],
  datasets: [],
  ...more,
})
const subject = (name: string, more: Partial<Subject> = {}): Subject => ({
  key: 'person',
  kind: 'person',
  names: [name],
  countries: [],
  ...more,
})

/** Searches the index and scores the candidate, as screening does. */
function scored(subject: Subject, listed: ListEntry) {
  const index = createListIndex()
  index.add(listed)
  const [found] = index.candidates(subject, 0.5)
  if (!found) return { score: 0, parts: [] }
  const parts = scoreParts(subject, found)
  return { score: scoreOf(parts), parts: parts.map(({ name }) => name) }
}

describe('a person', () => {
  test.each([
    ['Zoltan Krummbiegel', 'Zoltan Krummbiegel', 1, 'name_exact'],
    ['KRUMMBIEGEL, Zoltán', 'Zoltan Krummbiegel', 1, 'name_exact'],
    ['Dr. Zoltan Krummbiegel', 'Zoltan Krummbiegel', 1, 'name_exact'],
    ['Золтан Круммбигель', 'Zoltan Krummbigel', 1, 'name_exact'],
    ['Jürgen Müller-Lüdenscheid', 'Juergen Mueller Luedenscheid', 1, 'name_exact'],
    ['Abdel Karim Zubarani', 'Abdelkarim Zubarani', 1, 'name_exact'],
    ['Zeta Alpha', 'ZetaAlpha', 1, 'name_exact'],
    ['ZetaAlpha', 'Zeta Alpha', 1, 'name_exact'],
    ['习近平', 'Xi Jinping', 1, 'name_exact'],
    ['Jinping Xi', '习近平', 1, 'name_exact'],
    ['Kim Jongun', 'Kim Jong Un', 1, 'name_exact'],
    ['Jong Un Kim', 'Kim Jongun', 1, 'name_exact'],
    ['Mao Zedong', 'Mao Ze Dong', 1, 'name_exact'],
    ['a '.repeat(30), 'a'.repeat(30), 1, 'name_exact'],
    ['Katherine Smyth', 'Catherine Smith', 0.95, 'name_phonetic'],
    ['Zoltan Krumbiegel', 'Zoltan Krummbiegel', 0.95, 'name_phonetic'],
    ['Mohammed Khalid', 'Muhamad Khaled', 0.95, 'name_phonetic'],
    ['Aleksandr Nikolai Meier', 'Alexander Nicolay Mayer', 0.91, 'name_phonetic'],
    ['Mirela Quastowa', 'Mirela Quastova', 0.95, 'name_phonetic'],
    ['Ahmed al-Sharaa', 'Ahmed Sharaa', 1, 'name_exact'],
    ['Ahmed ul-Haq', 'Ahmed al Haq', 1, 'name_exact'],
    ['Abdel Fattah el-Sisi', 'Abdul Fattah al-Sisi', 1, 'name_exact'],
    ['Umar Mukhtar', 'Omar Muchtar', 0.93, 'name_phonetic'],
    ['Youssef Nada', 'Jusuf Nada', 0.95, 'name_phonetic'],
    ['Pjotr Tschaikowski', 'Pyotr Tchaikovsky', 0.95, 'name_phonetic'],
    ['Michail Gorbatschow', 'Mikhail Gorbachov', 0.95, 'name_phonetic'],
    ['Yelena Baturina', 'Elena Baturina', 0.95, 'name_phonetic'],
    ['Mirela Anna Quastova', 'Mirela Quastova', 0.94, 'name_similar'],
  ])('named %s, compared with %s, scores %d (%s)', (name, listed, score, part) => {
    expect(scored(subject(name), entry({ names: [listed] }))).toEqual({ score, parts: [part] })
  })
  test.each([
    ['Ada Lovelace', 'Zoltan Krummbiegel'],
    ['Ada Lovelace', 'Ada Byron'],
    ['Ada', 'Ada Lovelace'],
    ['Li Na', 'Lee Noh'],
    ['Omar Hassan', 'Amir Hussein'],
    ['Maria Schmidt', 'Marta Schulze'],
    ['Mary Ann', 'Rany Man'],
    ['Ahmed Ali', 'Mohammed Ahmed Omar Hassan Ali'],
  ])('named %s does not match %s', (name, listed) => {
    expect(scored(subject(name), entry({ names: [listed] })).score).toBeLessThan(0.7)
  })
  test('matches a weak name only exactly', () => {
    const listed = entry({ names: ['Zoltan Krummbiegel'], weakNames: ['The Quiet Banker'] })
    expect(scored(subject('Quiet Banker, the'), listed)).toEqual({ score: 0.8, parts: ['weak_alias'] })
    expect(scored(subject('The Quiet Bankers'), listed).score).toBe(0)
  })
  test('scores more with the same date of birth, if the names are only similar', () => {
    const own = subject('Nicolas Maduro', { birthDate: '1962-11-23' })
    const listed = { names: ['Nicolás Maduro Moros'], birthDates: ['1962-11-23'] }
    const score = (more: Partial<ListEntry>) => scored(own, entry({ ...listed, ...more }))
    expect(score({}).parts).toEqual(['name_similar', 'birth_date_same'])
    expect(score({}).score - score({ birthDates: [] }).score).toBeCloseTo(0.1)
  })
  test('does not score less if the surname is part of a listed name of one word', () => {
    const own = subject('Jinping Xi', { surname: 'Xi' })
    expect(scored(own, entry({ names: ['习近平'] }))).toEqual({ score: 1, parts: ['name_exact'] })
  })
  test.each([
    [{ countries: ['de'] }, { countries: ['hu'] }, 0.95, ['country_differs']],
    [{ countries: ['de', 'hu'] }, { countries: ['hu'] }, 1, []],
    [{ countries: ['de'] }, {}, 1, []],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961-04-03'] }, 1, []],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961'] }, 1, []],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961-04'] }, 1, []],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961-05-03'] }, 0.95, ['birth_day_differs']],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961-12-30'] }, 0.9, ['birth_day_differs']],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1961-03-04'] }, 1, []],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1971-04-03'] }, 0.7, ['birth_year_differs']],
    [{ birthDate: '1961-04-03' }, { birthDates: ['1962', '1963'] }, 0.85, ['birth_year_differs']],
    [{ surname: 'Krummbigel' }, {}, 1, []],
    [{ surname: 'al-Krummbiegel' }, {}, 1, []],
    [{ surname: 'Lovelace' }, {}, 0.8, ['surname_differs']],
    [
      { birthDate: '1990-01-01', countries: ['de'] },
      { birthDates: ['1961'], countries: ['hu'] },
      0.65,
      ['country_differs', 'birth_year_differs'],
    ],
  ])('with %j, compared with an entry with %j, scores %d', (more, listed, score, against) => {
    const found = scored(
      subject('Zoltan Krummbiegel', more as Partial<Subject>),
      entry({ names: ['Zoltan Krummbiegel'], ...listed }),
    )
    expect(found).toEqual({ score, parts: ['name_exact', ...against] })
  })
})

/** Returns the similarity of two words by their sounds. */
const sounded = (one: string, other: string) => {
  const [left, right] = [one, other].map((word) => ({ sounds: soundsOf(word), firm: firmOf(soundsOf(word)) }))
  return left && right ? likenessOfSounds(left, right) : null
}

test.each([
  ['tschaikowski', 'tchaikovsky', 1],
  ['choigou', 'shoigu', 1],
  ['jewgenij', 'yevgeny', 0.96],
  ['chong', 'jong', 0.925],
  ['hassan', 'hussein', 0],
  ['putin', 'potanin', 0],
  ['sistani', 'sudani', 0],
])('scores the sounds of %s and %s as %d', (one, other, score) => {
  expect(sounded(one, other)).toBeCloseTo(score, 2)
  expect(sounded(other, one)).toBeCloseTo(score, 2)
})

test('rules out words only if their consonants make the similarity impossible', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abdhiklmnoprst'), minLength: 1, maxLength: 14 })
  fc.assert(
    fc.property(word, word, (one, other) => {
      const isSlow = likenessOfSounds({ sounds: one, firm: 0 }, { sounds: other, firm: 0 })
      const isQuick = likenessOfSounds(
        { sounds: one, firm: firmOf(one) },
        { sounds: other, firm: firmOf(other) },
      )
      expect(isQuick).toBe(isSlow)
    }),
  )
})

test('limits combining marks before normalisation, which takes quadratic time', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => normalize.mockRestore())
  const marks = '\u0345\u0315\u0308'.repeat(1_500)
  const listed = entry({ names: ['Zoltan Krummbiegel'] })
  expect(scored(subject(`Zolta${marks}n Krummbiegel${marks}`), listed).score).toBe(1)
  for (const text of normalize.mock.contexts) expect(String(text).length).toBeLessThan(100)
})

test('does not keep submitted words in the cache of words', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  for (let n = 0; n < 300; n += 1) {
    for (const word of `${n}${'9'.repeat(100_000)} alongwordof${n}`.split(' ')) wordOf(word, 'person')
  }
  expect(used() - before).toBeLessThan(10_000_000)
})

describe('a company', () => {
  const company = (name: string, more: Partial<Subject> = {}) =>
    subject(name, { key: 'company', kind: 'company', ...more })
  const listed = entry({
    kind: 'company',
    names: ['Vexillum Maritime Trading Ltd', 'ООО Вымпел'],
    registrationNumbers: ['ZZ 990017'],
  })
  test.each([
    ['Vexillum Maritime Trading', 1, 'name_exact'],
    ['VEXILLUM MARITIME TRADING L.L.C.', 1, 'name_exact'],
    ['Vexilum Maritime Trading GmbH', 0.95, 'name_phonetic'],
    ['OOO Vympel', 1, 'name_exact'],
  ])('named %s scores %d (%s)', (name, score, part) => {
    expect(scored(company(name), listed)).toEqual({ score, parts: [part] })
  })
  test('matches by its number under another name, and scores less with a different number', () => {
    const renamed = company('Something Else Ltd', { registrationNumber: 'zz-990017' })
    expect(scored(renamed, listed)).toEqual({ score: 0.95, parts: ['identifier'] })
    const other = company('Vexillum Maritime Trading', { registrationNumber: 'ZZ 990018' })
    expect(scored(other, listed)).toEqual({ score: 0.9, parts: ['name_exact', 'number_differs'] })
  })
  test('does not score less with a number of another register', () => {
    const other = company('Vexillum Maritime Trading', { registrationNumber: 'HRB 1842' })
    expect(scored(other, listed)).toEqual({ score: 1, parts: ['name_exact'] })
  })
  test('does not match a person of the same name', () => {
    expect(scored(company('Zoltan Krummbiegel'), entry({ names: ['Zoltan Krummbiegel'] })).score).toBe(0)
    const either = entry({ kind: 'either', names: ['Zoltan Krummbiegel'] })
    expect(scored(company('Zoltan Krummbiegel'), either).score).toBe(1)
  })
})
