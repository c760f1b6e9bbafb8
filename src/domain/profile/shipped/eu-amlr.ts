/** Rules for the profile of Regulation (EU) 2024/1624, which applies from 10 July 2027. */
import type { Condition } from '../../fields/condition.ts'
import { PERSON_SECTION, type Texts } from '../document.ts'
import { BIRTH_DATE, type SourcedRow, shippedProfile } from './profile.ts'

const article = (place: string) => `Regulation (EU) 2024/1624, Article ${place}`

const OWNER: Condition = { field: 'roles', has: 'ubo' }
const IS_STATELESS: Condition = { field: 'additional.stateless', is: true }

/** Returns the data of Article 22(1)(a) that the API does not specify. `asked` is the condition of its questions. */
function dataOfPerson(stateless: Texts, asked?: Condition) {
  const who = asked && { asked }
  const all = (condition: Condition): Condition => (asked ? { all: [asked, condition] } : condition)
  return {
    place_of_birth: {
      path: 'additional.place_of_birth',
      section: PERSON_SECTION,
      type: 'short_text',
      ...who,
      required: true,
      label: { en: 'Place of birth', de: 'Geburtsort', pl: 'Miejsce urodzenia' },
      help: {
        en: 'City and country, as in the passport',
        de: 'Ort und Land, wie im Reisepass',
        pl: 'Miejscowość i kraj, jak w paszporcie',
      },
      source: article('22(1)(a)(ii) and 62(1)(a)'),
    },
    stateless: {
      path: 'additional.stateless',
      section: PERSON_SECTION,
      type: 'boolean',
      ...who,
      required: true,
      label: stateless,
      source: article('22(1)(a)(iii)'),
    },
    nationalities: {
      path: 'additional.nationalities',
      section: PERSON_SECTION,
      type: 'country_list',
      asked: all({ not: IS_STATELESS }),
      required: true,
      label: { en: 'All nationalities', de: 'Alle Staatsangehörigkeiten', pl: 'Wszystkie obywatelstwa' },
      source: article('22(1)(a)(iii)'),
    },
    protection: {
      path: 'additional.protection',
      section: PERSON_SECTION,
      type: 'one_of',
      values: ['refugee', 'subsidiary_protection', 'no_protection'],
      asked: all(IS_STATELESS),
      required: true,
      label: { en: 'Protection status', de: 'Schutzstatus', pl: 'Status ochrony' },
      value_labels: {
        refugee: { en: 'Refugee', de: 'Flüchtling', pl: 'Uchodźca' },
        subsidiary_protection: {
          en: 'Subsidiary protection',
          de: 'Subsidiärer Schutz',
          pl: 'Ochrona uzupełniająca',
        },
        no_protection: { en: 'Neither', de: 'Keiner davon', pl: 'Żaden z nich' },
      },
      source: article('22(1)(a)(iii)'),
    },
    national_number: {
      path: 'additional.national_number',
      section: PERSON_SECTION,
      type: 'short_text',
      ...who,
      label: {
        en: 'National identification number',
        de: 'Nationale Identifikationsnummer',
        pl: 'Krajowy numer identyfikacyjny',
      },
      help: {
        en: 'If the country issues one',
        de: 'Falls das Land eine vergibt',
        pl: 'Jeżeli kraj go nadaje',
      },
      source: article('22(1)(a)(iii)'),
    },
    personal_tax_number: {
      path: 'additional.personal_tax_number',
      section: PERSON_SECTION,
      type: 'short_text',
      ...who,
      label: {
        en: 'Personal tax number',
        de: 'Persönliche Steuernummer',
        pl: 'Osobisty numer podatkowy',
      },
      help: { en: 'If there is one', de: 'Falls vorhanden', pl: 'Jeżeli został nadany' },
      source: article('22(1)(a)(iv)'),
    },
  } as const satisfies Record<string, SourcedRow>
}

const OF_OWNER = dataOfPerson(
  { en: 'Is the person stateless?', de: 'Ist die Person staatenlos?', pl: 'Czy osoba jest bezpaństwowcem?' },
  OWNER,
)
const OF_APPLICANT = dataOfPerson({
  en: 'Are you stateless?',
  de: 'Sind Sie staatenlos?',
  pl: 'Czy jest Pan(i) bezpaństwowcem?',
})

export const EU_AMLR = shippedProfile({
  name: 'eu-amlr',
  state: 'draft',
  title: {
    en: 'EU anti-money-laundering regulation',
    de: 'Geldwäscheverordnung der EU',
    pl: 'Rozporządzenie UE w sprawie przeciwdziałania praniu pieniędzy',
  },
  about: {
    en: 'The data of Article 22. The technical standard is not final yet.',
    de: 'Die Angaben aus Artikel 22. Der technische Standard ist noch nicht endgültig.',
    pl: 'Dane z artykułu 22. Standard techniczny nie jest jeszcze ostateczny.',
  },
  rows: {
    company: [
      {
        path: 'nature_of_business.company_type',
        section: 'nature_of_business',
        type: 'one_of',
        required: true,
        source: article('22(1)(b)(i)'),
      },
      {
        path: 'additional.other_place_of_business',
        section: 'nature_of_business',
        group: 'address',
        type: 'boolean',
        required: true,
        label: {
          en: 'Is your principal place of business at another address?',
          de: 'Liegt Ihre Hauptniederlassung an einer anderen Adresse?',
          pl: 'Czy główne miejsce prowadzenia działalności ma inny adres?',
        },
        source: article('22(1)(b)(ii)'),
      },
      {
        path: 'additional.principal_place_of_business',
        section: 'nature_of_business',
        group: 'address',
        type: 'text',
        asked: { field: 'additional.other_place_of_business', is: true },
        required: true,
        label: {
          en: 'Principal place of business',
          de: 'Hauptniederlassung',
          pl: 'Główne miejsce prowadzenia działalności',
        },
        help: {
          en: 'Street and number, postcode, city and country',
          de: 'Straße und Hausnummer, Postleitzahl, Ort und Land',
          pl: 'Ulica i numer, kod pocztowy, miejscowość i kraj',
        },
        source: article('22(1)(b)(ii)'),
      },
      {
        path: 'additional.company_tax_number',
        section: 'nature_of_business',
        group: 'registration',
        type: 'short_text',
        label: {
          en: 'Tax identification number',
          de: 'Steueridentifikationsnummer',
          pl: 'Numer identyfikacji podatkowej',
        },
        source: article('22(1)(b)(iii)'),
      },
      {
        path: 'additional.lei',
        section: 'nature_of_business',
        group: 'registration',
        type: 'short_text',
        format: 'lei',
        label: {
          en: 'Legal Entity Identifier (LEI)',
          de: 'Rechtsträgerkennung (LEI)',
          pl: 'Identyfikator podmiotu prawnego (LEI)',
        },
        help: {
          en: '20 letters and digits, if the company has one',
          de: '20 Buchstaben und Ziffern, falls vorhanden',
          pl: '20 liter i cyfr, jeżeli firma go posiada',
        },
        source: article('22(1)(b)(iii)'),
      },
    ],
    beneficiary: [
      {
        path: 'additional.nominee',
        section: PERSON_SECTION,
        type: 'boolean',
        required: true,
        label: {
          en: 'Does the person hold shares or a directorship as a nominee?',
          de: 'Hält die Person Anteile oder ein Amt treuhänderisch?',
          pl: 'Czy osoba posiada udziały lub pełni funkcję jako powiernik?',
        },
        source: article('22(1)(b)(iv)'),
      },
      {
        path: 'additional.nominee_for',
        section: PERSON_SECTION,
        type: 'short_text',
        asked: { field: 'additional.nominee', is: true },
        required: true,
        label: {
          en: 'For whom is the person a nominee?',
          de: 'Für wen handelt die Person treuhänderisch?',
          pl: 'Na czyją rzecz działa powiernik?',
        },
        source: article('22(1)(b)(iv)'),
      },
      OF_OWNER.place_of_birth,
      {
        path: 'additional.date_of_birth',
        section: PERSON_SECTION,
        ...BIRTH_DATE,
        asked: OWNER,
        required: true,
        label: { en: 'Date of birth', de: 'Geburtsdatum', pl: 'Data urodzenia' },
        source: article('22(1)(a)(ii) and 62(1)(a)'),
      },
      OF_OWNER.stateless,
      OF_OWNER.nationalities,
      OF_OWNER.protection,
      OF_OWNER.national_number,
      {
        path: 'additional.residential_address',
        section: PERSON_SECTION,
        type: 'text',
        asked: OWNER,
        required: true,
        label: { en: 'Usual place of residence', de: 'Gewöhnlicher Wohnsitz', pl: 'Miejsce zwykłego pobytu' },
        help: {
          en: 'Street and number, postcode and city, or a postal address',
          de: 'Straße und Hausnummer, Postleitzahl und Ort, oder eine Postanschrift',
          pl: 'Ulica i numer, kod pocztowy i miejscowość lub adres do korespondencji',
        },
        source: article('22(1)(a)(iv) and 62(1)(a)'),
      },
      {
        path: 'additional.country_of_residence',
        section: PERSON_SECTION,
        type: 'country',
        asked: OWNER,
        required: true,
        label: { en: 'Country of residence', de: 'Wohnsitzland', pl: 'Kraj zamieszkania' },
        source: article('62(1)(a)'),
      },
      OF_OWNER.personal_tax_number,
    ],
    person: Object.values(OF_APPLICANT),
  },
})
