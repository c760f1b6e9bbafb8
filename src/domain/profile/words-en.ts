/** Rules for the English words that explain a profile. */
import { counted, type Words } from './vocabulary.ts'

export const en: Words = {
  and: ' and ',
  or: ' or ',
  not: (condition) => `not (${condition})`,
  quoted: (text) => `“${text}”`,
  yesOrNo: (value) => (value ? 'Yes' : 'No'),
  tests: {
    is: (field, by) => `${field} is ${by}`,
    isNot: (field, by) => `${field} is not ${by}`,
    in: (field, by) => `${field} is ${by}`,
    has: (field, by) => `${field} contains ${by}`,
    at_least: (field, by) => `${field} is at least ${by}`,
    below: (field, by) => `${field} is less than ${by}`,
    older_than: (field, by) => `${field} is at least ${by} ago`,
  },
  given: (field, isGiven) => `${field} ${isGiven ? 'has an answer' : 'has no answer'}`,
  period: { Y: counted('year', 'years'), M: counted('month', 'months'), D: counted('day', 'days') },
  groups: {
    EU: 'a country of the EU',
    EEA: 'a country of the EEA',
    high_risk: 'a country with a high risk',
    no_postcode: 'a country without postcodes',
  },
  never: 'never',
  always: 'always',
  rows: {
    required: 'Always required',
    optional: 'Optional',
    requiredIf: (condition) => `Required if ${condition}.`,
    askedIf: (condition) => `Asked if ${condition}.`,
    optionalIf: (condition) => `Optional, asked if ${condition}.`,
    notAsked: 'Otherwise not asked.',
    otherwiseOptional: 'Otherwise optional.',
  },
}
