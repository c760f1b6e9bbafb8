/** Rules for the profile of the United Kingdom. It never asks for the personal code of Companies House. */
import type { Condition } from '../../fields/condition.ts'
import { PERSON_SECTION } from '../document.ts'
import { shippedProfile } from './profile.ts'

const IS_REGISTERED: Condition = { field: 'nature_of_business.country_of_incorporation', is: 'GB' }

export const UK = shippedProfile({
  name: 'uk',
  state: 'final',
  title: { en: 'United Kingdom', de: 'Vereinigtes Königreich', pl: 'Wielka Brytania' },
  about: {
    en: 'The identity verification of directors and owners at Companies House',
    de: 'Die Identitätsprüfung der Geschäftsführung und der Inhaber beim Companies House',
    pl: 'Weryfikacja tożsamości dyrektorów i właścicieli w Companies House',
  },
  rows: {
    company: [
      {
        path: 'additional.psc_extract',
        section: 'business_files',
        type: 'files',
        asked: IS_REGISTERED,
        required: true,
        label: {
          en: 'Extract of the register of people with significant control',
          de: 'Auszug aus dem Register der Personen mit maßgeblicher Kontrolle',
          pl: 'Wyciąg z rejestru osób sprawujących znaczącą kontrolę',
        },
        source: 'Money Laundering Regulations 2017 (SI 2017/692), regulation 30A',
      },
    ],
    beneficiary: [
      {
        path: 'additional.companies_house',
        section: PERSON_SECTION,
        type: 'one_of',
        values: ['identity_verified', 'identity_due', 'identity_exempt'],
        asked: {
          all: [
            IS_REGISTERED,
            {
              any: [
                { field: 'roles', has: 'director' },
                { field: 'roles', has: 'ubo' },
              ],
            },
          ],
        },
        required: true,
        label: {
          en: 'Has the person verified their identity at Companies House?',
          de: 'Hat die Person ihre Identität beim Companies House bestätigt?',
          pl: 'Czy osoba zweryfikowała tożsamość w Companies House?',
        },
        help: {
          en: 'Do not enter the personal code.',
          de: 'Geben Sie den persönlichen Code nicht an.',
          pl: 'Nie podawaj kodu osobistego.',
        },
        value_labels: {
          identity_verified: {
            en: 'Yes, it is verified',
            de: 'Ja, sie ist bestätigt',
            pl: 'Tak, jest zweryfikowana',
          },
          identity_due: {
            en: 'Not yet, it is due',
            de: 'Noch nicht, sie steht aus',
            pl: 'Jeszcze nie, jest wymagana',
          },
          identity_exempt: {
            en: 'It is not required',
            de: 'Sie ist nicht erforderlich',
            pl: 'Nie jest wymagana',
          },
        },
        source: 'Economic Crime and Corporate Transparency Act 2023, Part 1, in force from 18 November 2025',
      },
    ],
    person: [],
  },
})
