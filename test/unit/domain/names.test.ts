/** Checks which spellings are one name, and which characters a text keeps. */

import { describe, expect, test } from 'vitest'
import { httpsUrl, requiredText, text, unchanged } from '../../../src/contracts/common.ts'
import { fillInBodyOf } from '../../../src/contracts/identification.ts'
import { cleanLine, cleanText } from '../../../src/domain/base/clean-text.ts'
import { greetedName } from '../../../src/domain/email/notice.ts'
import { STATELESS } from '../../../src/domain/fields/countries.ts'
import {
  DEFAULT_APPLICANT_FORM,
  findPersonDue,
  PERSON_FIELDS,
} from '../../../src/domain/identification/person-form.ts'
import { riskFactsOfPerson } from '../../../src/domain/identification/risk.ts'
import { subjectsOfIdentification } from '../../../src/domain/identification/subjects.ts'
import { fullNameOf, ONE_NAME, surnameOf } from '../../../src/domain/names/full-name.ts'
import { isSameName, spellName } from '../../../src/domain/names/name.ts'
import { textOf } from '../../../src/pages/components/fields.tsx'
import { Avatar } from '../../../src/pages/components/icon.tsx'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { translate } from '../../../src/pages/texts/index.ts'
import { readFields } from '../../../src/pages/values/form-values.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const SAME: readonly (readonly [string, string])[] = [
  ['JOERG MUELLER', 'Jörg Müller'],
  ['Jorg Muller', 'Jörg Müller'],
  ['Joerg Muller', 'Jörg Müller'],
  ['LUKASZ WALESA', 'Łukasz Wałęsa'],
  ['O\u2019Brien', "O'Brien"],
  ['OBRIEN', "O'Brien"],
  ['O`Brien', 'O\u02BCBrien'],
  ['Anne Marie', 'Anne-Marie'],
  ['Anne\u2011Marie', 'Anne Marie'],
  ['John A', 'John A.'],
  ['Suharto -', 'Suharto'],
  ['Suharto', '- Suharto'],
  ['SOEREN AABERG', 'Søren Åberg'],
  ['SOREN ABERG', 'Søren Åberg'],
  ['Soren Aaberg', 'Søren Åberg'],
  ['GROSSMANN', 'Großmann'],
  ['GROẞMANN', 'Großmann'],
  ['THORHALLUR', 'Þórhallur'],
  ['GUDRUN', 'Guðrún'],
  ['AEGIR', 'Ægir'],
  ['MUNOZ', 'Muñoz'],
  ['MUNXXOZ', 'Muñoz'],
  ['DJOKOVIC', 'Đoković'],
  ['DOKOVIC', 'Đoković'],
  ['DORDEVIC', 'Đorđević'],
  ['ILKER ISIK', 'İlker Işık'],
  ['CELIK', 'Çelik'],
  ['STEFANESCU', 'Ștefănescu'],
  ['Stefanescu', 'Ştefănescu'],
  ['DVORAK', 'Dvořák'],
  ['NGUYEN VAN DUC', 'Nguyễn Văn Đức'],
  ['OEUVRARD', 'Œuvrard'],
  ['Renée', 'Rene\u0301e'],
  ['Ｊｏｈｎ', 'John'],
  ['Jo\u200Bhn', 'John'],
  ['\u202EJohn\u202C', 'John'],
  ['IVANOV', 'Иванов'],
  ['SERGEI', 'Сергей'],
  ['Sergey', 'Сергей'],
  ['IULIIA', 'Юлия'],
  ['Yulia', 'Юлия'],
  ['Yuliya', 'Юлия'],
  ['ZHUKOV', 'Жуков'],
  ['KHRUSHCHEV', 'Хрущев'],
  ['IGOR', 'Игорь'],
  ['HALYNA', 'Галина'],
  ['KYRIAKOS', 'Κυριάκος'],
  ['GEORGIOS PAPADOPOULOS', 'Γεώργιος Παπαδόπουλος'],
  ['Petrović', 'Петровић'],
  ['محمّد', 'محمد'],
  ['أحمد', 'احمد'],
  ['Aliya Kassymova', 'Әлия Кассымова'],
  ['ALIYA KASYMOVA', 'Әлия Қасымова'],
  ['Nursultan Nazarbayev', 'Нұрсұлтан Назарбаев'],
  ['OMURBEK BABANOV', 'Өмүрбек Бабанов'],
  ['JAMSHED HAKIMOV', 'Ҷамшед Ҳакимов'],
  ['Maxim', 'Максим'],
  ['MAKSIM', 'Максим'],
  ['Alexandra', 'Александра'],
  ['BAMPIS BAKOGIANNIS', 'Μπάμπης Μπακογιάννης'],
  ['EVANGELOS', 'Ευάγγελος'],
  ['NTINOS', 'Ντίνος'],
  ['Dinos', 'Ντίνος'],
  ['Giorgi Margvelashvili', 'გიორგი მარგველაშვილი'],
  ['GIORGI', 'ᲒᲘᲝᲠᲒᲘ'],
  ['ARMEN HARUTYUNYAN', 'Արմեն Հարությունյան'],
  ['YEREVAN', 'Երեւան'],
  ['Danjuma Bala', 'Ɗanjuma Ɓala'],
  ['Dr. Ada Lovelace', 'Ada Lovelace'],
  ['LOVELACE DR. ADA', 'Lovelace Ada'],
  ['Prof. Dr.-Ing. Ada Lovelace', 'Ada Lovelace'],
  ['Prof. Dr. rer. nat. h.c. Ada Lovelace', 'Ada Lovelace'],
  ['Mag. Ada Lovelace', 'Ada Lovelace'],
  ['Mrs Ada Lovelace', 'Ada Lovelace'],
]

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['Jörg Müller', 'Jürg Müller'],
  ['Jörg Müller', 'Jörg Möller'],
  ['Michael Weber', 'Michal Weber'],
  ['Rafael', 'Rafal'],
  ['Joerg', 'Jorg'],
  ['Joel', 'Jol'],
  ['Anna', 'Anne'],
  ['Łukasz', 'Tukasz'],
  ["O'Brien", "O'Brian"],
  ['John A', 'John B'],
  ['John', 'John A'],
  ['Marie', 'Mario'],
  ['Иванов', 'Ivanova'],
  ['Иван', 'Jovan'],
  ['Γεώργιος', 'Gregorios'],
  ['नेहा', 'नहा'],
  ['王伟', '王芳'],
  ['-', ''],
  ['', ''],
  ['-', 'Suharto'],
  ['Großmann', 'Grosman'],
  ['Sørensen', 'Sarensen'],
  ['Әлия', 'Олия'],
  ['გიორგი', 'Georgi'],
  ['Μπάμπης', 'Mampis'],
  ['Dr.', 'Prof.'],
  ['Dre Lovelace', 'Lovelace'],
  ["Dr'Ada", 'Ada'],
  ['Ing Lovelace', 'Lovelace'],
  ['Msida', 'Ida'],
]

describe('names', () => {
  test.each(SAME)('%s is the same name as %s', (one, other) => {
    expect(isSameName(one, other)).toBe(true)
    expect(isSameName(other, one)).toBe(true)
  })

  test.each(DIFFERENT)('%s is not the same name as %s', (one, other) => {
    expect(isSameName(one, other)).toBe(false)
    expect(isSameName(other, one)).toBe(false)
  })

  test('the comparison of long names takes little time', () => {
    const ms = cpuMsOf(() => {
      isSameName('ъ'.repeat(500), 'u'.repeat(500))
      isSameName('ю'.repeat(500), `${'ю'.repeat(499)}я`)
      isSameName('ъü'.repeat(250), 'uue'.repeat(250))
    })
    expect(ms).toBeLessThan(1_000)
  })

  test('a name is spelt as in a passport', () => {
    expect(['Jörg Müller', 'Þór', 'Æ-Ø', 'Юлия'].map(spellName)).toEqual([
      'joergmueller',
      'thor',
      'aeoe',
      'iuliia',
    ])
  })
})

describe('a person with one name', () => {
  test.each(['-', '', ' ', '–', '.', '--', '. .'])('has the surname %j', (surname) => {
    expect(surnameOf(surname)).toBe(ONE_NAME)
    expect(fullNameOf({ name: 'Suharto', surname })).toBe('Suharto')
    const [subject] = subjectsOfIdentification('person', { name: 'Suharto', surname })
    expect(subject).toEqual({ key: 'person', kind: 'person', names: ['Suharto'], countries: [] })
  })

  test.each(['Li', '李', 'O', 'B-'])('is not meant by the surname %s', (surname) => {
    expect(surnameOf(surname)).toBe(surname)
    expect(fullNameOf({ name: 'Ada', surname })).toBe(`Ada ${surname}`)
  })

  test.each([
    ['-', 'Suharto', 'Suharto'],
    ['.', '李', '李'],
    ['-', '-', '-'],
    ['…', undefined, '…'],
    ['', '', ''],
  ])('named %j and %j is called %j', (name, surname, expected) => {
    expect(fullNameOf({ name, surname })).toBe(expected)
  })

  test('needs no surname in a form with the box', () => {
    const form = { prefix: '', fields: PERSON_FIELDS.details, language: 'en' } as const
    expect(readFields({ ...form, sent: { surname: ['', ONE_NAME] } })).toEqual({ surname: ONE_NAME })
    expect(readFields({ ...form, sent: { surname: ['Lovelace', ONE_NAME] } })).toEqual({
      surname: 'Lovelace',
    })
    expect(readFields({ ...form, sent: { surname: '' } })).toEqual({ surname: null })
    const due = (surname: string) => findPersonDue({ name: 'Suharto', surname }, [])
    expect(due(ONE_NAME)).not.toContain('surname')
  })
})

test('a stateless person needs no nationality in a form with the box', () => {
  const form = { prefix: '', fields: PERSON_FIELDS.details, language: 'en' } as const
  expect(readFields({ ...form, sent: { nationality: ['', STATELESS] } })).toEqual({ nationality: STATELESS })
  const accepts = (nationality: string) =>
    fillInBodyOf(DEFAULT_APPLICANT_FORM).safeParse({ nationality }).success
  for (const country of [STATELESS, 'TW', 'XK', 'PS', 'DE']) expect(accepts(country), country).toBe(true)
  for (const country of ['XXB', 'xxa', 'SU', 'YU', 'DD', 'ZZ', ''])
    expect(accepts(country), country).toBe(false)
  const person = { name: 'Ada', surname: 'Lovelace', nationality: STATELESS }
  expect(findPersonDue(person, [])).not.toContain('nationality')
  expect(subjectsOfIdentification('person', person)[0]?.countries).toEqual([])
  expect(riskFactsOfPerson(person)).toEqual([])
  const shown = { language: 'de', t: translate('de') } as Frame
  expect(textOf(shown, 'country', STATELESS)).toBe('Staatenlos, keine Staatsangehörigkeit')
})

test('texts of requests lose invisible characters, and URLs and events with them are refused', () => {
  expect(text(10).parse('\u202eVexo\u202c\u200bvia')).toBe('Vexovia')
  expect(requiredText(10).safeParse('\u2066\u2069').success).toBe(false)
  expect(text(10, unchanged).parse('a\u200bb')).toBe('a\u200bb')
  expect(httpsUrl.safeParse('https://vexo\u200bvia.example/').success).toBe(false)
})

describe('invisible characters', () => {
  const MARKS = [
    0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202b,
    0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a,
    0x206f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0001, 0xe0041,
  ]
  test.each(MARKS.map((code) => code.toString(16)))('U+%s is removed', (code) => {
    const mark = String.fromCodePoint(Number.parseInt(code, 16))
    expect(cleanText(`${mark}Ve${mark}xo${mark}`)).toBe('Vexo')
    expect(cleanLine(`a\u0007${mark}\nb`)).toBe('a b')
  })

  test.each([
    ...[
      'علی\u200cرضا',
      'क्\u200dष',
      '葛\u{e0100}城',
      '神\ufe00',
      'ᠭᠠᠯ\u180bᠠ',
      'ᠮᠣᠩᠭᠣᠯ\u180eᠠ',
      'Zoë O’Neil',
      '株式会社',
      '👩\u200d💻',
      '👩🏽\u200d⚕\ufe0f',
    ],
    ...[
      '❤\ufe0f\u200d🔥',
      '🏳\ufe0f\u200d🌈',
      '1\ufe0f\u20e3',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    ],
  ])('%s stays', (text) => {
    expect(cleanText(text)).toBe(text)
  })
})

test.each([
  ['O’Brien', true],
  ['علی\u200cرضا', true],
  ['ООО «Ромашка»', true],
  ['„Alfa” sp. z o.o.', true],
  ['"Alpha" Ltd', true],
  ['ශ්\u200dරී', true],
  ['Call +49 30 123456', false],
  ['नेहा शर्मा', true],
  ['example.com', false],
  ['https://example.com', false],
  ['Ada/win', false],
  ['Ada <b>', false],
  ['Ada\u202eadA', false],
  ['you won! Call +49', false],
  ['A'.repeat(101), false],
])('the name %j is greeted: %s', (name, isGreeted) => {
  expect(greetedName(name)).toBe(isGreeted ? name : null)
})

test.each([
  ['Ada Lovelace', 'AL'],
  ['नेहा शर्मा', 'नश'],
  ['Zoe\u0308 Ku\u0308hn', 'ZK'],
  ['ada.lovelace@example.com', 'AL'],
  ['李小龍', '李'],
  ['-', ''],
])('the initials of %s are %s', (name, initials) => {
  expect(Avatar({ name }).props.children).toBe(initials)
})
