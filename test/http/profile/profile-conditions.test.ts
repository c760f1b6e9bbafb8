/** Tests the conditions of added fields with empty and given answers, for companies and beneficiaries. */
import { expect, test } from 'vitest'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'
import { documentOf, labelled, profilesOf, type Row, row } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

/** Each word of conditions, with a field, answers to it, and the expected result of each answer. */
const CASES: [string, Row, object, [unknown, boolean][]][] = [
  [
    'is',
    { type: 'short_text' },
    { is: 'a' },
    [
      [null, false],
      ['a', true],
      ['b', false],
      ['', false],
    ],
  ],
  [
    'is no',
    { type: 'boolean' },
    { is: false },
    [
      [null, false],
      [false, true],
      [true, false],
    ],
  ],
  [
    'isNot',
    { type: 'short_text' },
    { isNot: 'a' },
    [
      [null, false],
      ['a', false],
      ['b', true],
    ],
  ],
  [
    'isNot yes',
    { type: 'boolean' },
    { isNot: true },
    [
      [null, false],
      [true, false],
      [false, true],
    ],
  ],
  [
    'in',
    { type: 'country' },
    { in: ['EU'] },
    [
      [null, false],
      ['DE', true],
      ['GB', false],
    ],
  ],
  [
    'in list',
    { type: 'country_list' },
    { in: ['EEA'] },
    [
      [null, false],
      ['US,NO', true],
      ['GB', false],
    ],
  ],
  [
    'in some',
    labelled('some_of', ['x', 'y', 'z']),
    { in: ['x', 'y'] },
    [
      [[], false],
      [['z', 'y'], true],
      [['z'], false],
    ],
  ],
  [
    'has',
    labelled('some_of', ['x', 'y']),
    { has: 'x' },
    [
      [[], false],
      [['x', 'y'], true],
      [['y'], false],
    ],
  ],
  [
    'given',
    { type: 'text' },
    { given: true },
    [
      [null, false],
      ['  ', false],
      ['a', true],
    ],
  ],
  [
    'not given',
    { type: 'date' },
    { given: false },
    [
      [null, true],
      ['2001-01-01', false],
    ],
  ],
  [
    'at_least',
    { type: 'number_text' },
    { at_least: '2.50' },
    [
      [null, false],
      ['2.5', true],
      ['2.49', false],
      ['100', true],
    ],
  ],
  [
    'below',
    { type: 'percentage_text' },
    { below: 25 },
    [
      [null, false],
      ['24.99', true],
      ['25', false],
    ],
  ],
  [
    'older_than',
    { type: 'date' },
    { older_than: 'P18Y' },
    [
      [null, false],
      ['1980-01-01', true],
      ['2024-01-01', false],
    ],
  ],
]
const QUESTIONS = CASES.map(([, of, condition, answers], n) => ({
  asked: row(`q${n}`, of),
  needed: row(`needed${n}`, { required: { field: `additional.q${n}`, ...condition } }),
  shown: row(`shown${n}`, { required: true, asked: { field: `additional.q${n}`, ...condition } }),
  not: row(`not${n}`, { required: { not: { field: `additional.q${n}`, ...condition } } }),
  answers,
  n,
}))
const rowsFor = (section: string) =>
  QUESTIONS.flatMap(({ asked, needed, not, shown }) => [asked, needed, not, shown]).map((each) => ({
    ...each,
    section,
  }))

test.each(['company', 'beneficiary'])(
  'each word of a condition of a %s is met by its answers only',
  async (part) => {
    const vault = await addVault(gatehouse)
    const profiles = await profilesOf(vault)
    const isCompany = part === 'company'
    const rows = rowsFor(isCompany ? 'usage_of_account' : 'details')
    const doc = isCompany ? documentOf(rows) : documentOf([], rows)
    expect(await profiles.problems(doc)).toEqual([])
    await profiles.publish(doc)
    const id = await vault.api.createKyb(unique(), completeSections())
    for (let round = 0; round < 4; round++) {
      const additional = Object.fromEntries(
        QUESTIONS.flatMap(({ n, answers }) =>
          answers.slice(round, round + 1).map(([value]) => [`q${n}`, value]),
        ),
      )
      const body = isCompany
        ? { additional }
        : { beneficiaries: { beneficiaries_list: [{ email: UBO, additional }] } }
      expect((await vault.api.patch(`/kyb/${id}`, body)).status).toBe(200)
      const { data } = (await vault.api.get(`/kyb/${id}`)).body
      const prefix = isCompany
        ? ''
        : `beneficiaries.beneficiaries_list.${data.beneficiaries.beneficiaries_list[0]?.external_id}.`
      const due: string[] = data.requirements.currently_due
      expect(data.requirements.reasons.map(({ path }: Row) => path).sort()).toEqual([...due].sort())
      for (const { n, answers } of QUESTIONS) {
        const answer = answers[round]
        if (!answer) continue
        const [value, isMet] = answer
        const found = ['needed', 'shown', 'not'].map((each) =>
          due.includes(`${prefix}additional.${each}${n}`),
        )
        expect(found, `${CASES[n]?.[0]} ${JSON.stringify(value)}`).toEqual([isMet, isMet, !isMet])
      }
    }
  },
)
