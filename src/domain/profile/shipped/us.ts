/** Rules for the profile of the United States: owners at the first account, or if there is a doubt about them. */
import type { Condition } from '../../fields/condition.ts'
import { PERSON_SECTION, type Texts } from '../document.ts'
import { BIRTH_DATE, type SourcedRow, shippedProfile } from './profile.ts'

const FIRST_ACCOUNT = '31 CFR 1010.230(b), with the order FIN-2026-R001'
const OWNER_DATA = '31 CFR 1010.230(b)(2) and 1020.220(a)(2)(i)'

const IS_FIRST: Condition = { field: 'additional.first_account', is: true }
/** The data of owners and of the person in control is needed at the first account, or after a change. */
const IS_NEEDED: Condition = {
  all: [
    { any: [IS_FIRST, { field: 'additional.owners_changed', is: true }] },
    {
      any: [
        { field: 'roles', has: 'ubo' },
        { field: 'roles', has: 'director' },
      ],
    },
  ],
}
const isUsPerson = (is: boolean): Condition => ({ all: [IS_NEEDED, { field: 'additional.us_person', is }] })

const needed = (
  name: string,
  label: Texts,
  more: Partial<Pick<SourcedRow, 'asked' | 'type' | 'earliest'>> = {},
): SourcedRow => ({
  path: `additional.${name}`,
  section: PERSON_SECTION,
  type: 'short_text',
  asked: IS_NEEDED,
  required: true,
  label,
  source: OWNER_DATA,
  ...more,
})

export const US = shippedProfile({
  name: 'us',
  state: 'final',
  title: { en: 'United States', de: 'Vereinigte Staaten', pl: 'Stany Zjednoczone' },
  about: {
    en: 'The customer due diligence rule. It needs no report of beneficial owners to FinCEN.',
    de: 'Die Sorgfaltspflichten gegenüber Kunden. Eine Meldung der Inhaber an FinCEN ist nicht nötig.',
    pl: 'Zasada należytej staranności wobec klienta. Zgłoszenie właścicieli do FinCEN nie jest potrzebne.',
  },
  rows: {
    company: [
      {
        path: 'additional.first_account',
        section: 'nature_of_business',
        type: 'boolean',
        required: true,
        label: {
          en: 'Is this the company’s first account with us?',
          de: 'Ist dies das erste Konto des Unternehmens bei uns?',
          pl: 'Czy to pierwszy rachunek firmy u nas?',
        },
        source: FIRST_ACCOUNT,
      },
      {
        path: 'additional.owners_changed',
        section: 'nature_of_business',
        type: 'boolean',
        asked: { field: 'additional.first_account', is: false },
        required: true,
        label: {
          en: 'Have the owners or the person in control changed since?',
          de: 'Haben sich die Inhaber oder die kontrollierende Person seither geändert?',
          pl: 'Czy od tego czasu zmienili się właściciele lub osoba kontrolująca?',
        },
        source: FIRST_ACCOUNT,
      },
      {
        path: 'additional.company_taxpayer_number',
        section: 'nature_of_business',
        group: 'registration',
        type: 'short_text',
        required: true,
        label: {
          en: 'Employer Identification Number (EIN) or foreign tax number',
          de: 'Employer Identification Number (EIN) oder ausländische Steuernummer',
          pl: 'Employer Identification Number (EIN) lub zagraniczny numer podatkowy',
        },
        source: '31 CFR 1020.220(a)(2)(i)(A)(4)',
      },
    ],
    beneficiary: [
      needed(
        'controls_company',
        {
          en: 'Does the person control, manage or direct the company?',
          de: 'Kontrolliert, leitet oder führt die Person das Unternehmen?',
          pl: 'Czy osoba kontroluje firmę, zarządza nią lub nią kieruje?',
        },
        { type: 'boolean' },
      ),
      needed('date_of_birth', { en: 'Date of birth', de: 'Geburtsdatum', pl: 'Data urodzenia' }, BIRTH_DATE),
      needed(
        'residential_address',
        {
          en: 'Residential or business street address',
          de: 'Wohn- oder Geschäftsadresse',
          pl: 'Adres zamieszkania lub działalności',
        },
        { type: 'text' },
      ),
      needed(
        'us_person',
        {
          en: 'Is the person a US citizen or resident?',
          de: 'Ist die Person in den USA Staatsangehörige oder ansässig?',
          pl: 'Czy osoba jest obywatelem lub rezydentem USA?',
        },
        { type: 'boolean' },
      ),
      needed(
        'taxpayer_number',
        {
          en: 'Social Security number or taxpayer number',
          de: 'Sozialversicherungs- oder Steuernummer in den USA',
          pl: 'Numer Social Security lub numer podatnika',
        },
        { asked: isUsPerson(true) },
      ),
      needed(
        'passport_number',
        { en: 'Passport number', de: 'Reisepassnummer', pl: 'Numer paszportu' },
        { asked: isUsPerson(false) },
      ),
      needed(
        'passport_country',
        {
          en: 'Country of the passport',
          de: 'Ausstellungsland des Reisepasses',
          pl: 'Kraj wydania paszportu',
        },
        { asked: isUsPerson(false), type: 'country' },
      ),
    ],
    person: [],
  },
})
