/** Rules for the invented application and person with which pages of a profile are previewed. */
import type { Field, Fields, FieldType } from '../fields/field.ts'
import { type ApplicantForm, CONSENT, encodeValue, typedOf } from '../identification/person-form.ts'
import type { Identification } from '../identification/record.ts'
import { type Beneficiary, type KybContent, SECTIONS } from '../kyb/fields.ts'
import type { Form } from '../kyb/form.ts'
import { circumstancesOf, type KybApplication } from '../kyb/record.ts'
import { currentlyDue } from '../kyb/requirements.ts'

const VALUES: Readonly<Partial<Record<FieldType, unknown>>> = {
  text: 'An example',
  short_text: 'Example',
  boolean: false,
  confirmation: true,
  date: '2017-03-14',
  country: 'DE',
  country_list: 'DE,FR',
  url: 'https://example.com',
  phone: '+493023125000',
  email: 'office@example.com',
  number_text: '120',
  percentage_text: '100',
}

const sampleOf = (field: Field): unknown =>
  'values' in field
    ? field.type === 'some_of'
      ? field.values.slice(0, 1)
      : field.values[0]
    : VALUES[field.type]

/** Returns a value for each specified field without documents. Fields that a profile adds remain empty. */
const samplesOf = (fields: Fields): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = field.texts ? undefined : sampleOf(field)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const COMPANY = {
  legal_company_name: 'Lindenhof Instruments GmbH',
  comercial_name: 'Lindenhof',
  different_commercial_name: true,
  company_registration_id: 'HRB 123456',
  legal_address: 'Lindenstrasse 12',
  city_address: 'Berlin',
  postal_code_address: '10969',
}

function sampleContent({ company, person }: Form): KybContent {
  const sections = Object.fromEntries(SECTIONS.map((section) => [section, samplesOf(company[section])]))
  // A supervised company needs a licence.
  const { subject_of_supervision: _, ...registered } = sections.nature_of_business ?? {}
  const owner = {
    ...samplesOf(person),
    external_id: '00000000-0000-7000-8000-000000000001',
    full_name: 'Ada Lindner',
    email: 'ada.lindner@example.com',
    roles: ['director', 'ubo'],
  } as unknown as Beneficiary
  return {
    ...(sections as unknown as KybContent),
    nature_of_business: { ...registered, ...COMPANY },
    beneficiaries: { ...sections.beneficiaries, beneficiaries_list: [owner] },
  }
}

/** The values of an invented record that no decision, file or other record affects. */
const untouchedIn = (vaultId: string, now: Date) => ({
  id: vaultId,
  vaultId,
  review: null,
  proposal: null,
  policy: { fourEyes: [], highRiskCountries: [] },
  screenedWith: null,
  openHits: 0,
  confirmedHits: 0,
  assignedTo: null,
  assignedUntil: null,
  waitingSince: now,
  updatedAt: now,
  createdAt: now,
})

/** Returns an open application of the vault with invented data under this form. */
export function sampleApplication(form: Form, vaultId: string, now: Date): KybApplication {
  const record = {
    form,
    content: sampleContent(form),
    checks: new Map(),
    unreadable: new Set<string>(),
  }
  return {
    ...untouchedIn(vaultId, now),
    ...record,
    identificationId: vaultId,
    externalId: '',
    state: {
      status: 'open',
      completed: false,
      correcting: false,
      unsubmitted: false,
      version: 1,
      pending: null,
    },
    currentlyDue: currentlyDue(record.content, circumstancesOf(record, now)),
    corrections: [],
    replies: [],
    submittedAt: null,
    files: new Map(),
    clientKyc: true,
    internal: false,
    links: new Map(),
  }
}

const PERSON = {
  name: 'Ada',
  surname: 'Lindner',
  birthdate: '1985-12-10',
  address: 'Lindenstrasse 12',
  postal_code: '10969',
  city: 'Berlin',
  email: 'ada.lindner@example.com',
  document_number: 'C01X00T47',
}

/** Returns a person of the vault with invented data under this form, who has consented and added no photos. */
export function sampleIdentification(form: ApplicantForm, vaultId: string, now: Date): Identification {
  const typed = Object.entries(samplesOf(typedOf(form))).map(([name, value]) => [name, encodeValue(value)])
  // The sample date is in the past, so no document expires on it.
  const { document_expires_on: _, ...profile } = Object.fromEntries(typed)
  return {
    ...untouchedIn(vaultId, now),
    form,
    profile: { ...profile, ...PERSON, consent: CONSENT, consented_at: now.toISOString() },
    externalUuid: '',
    kind: 'person',
    origin: 'hosted',
    state: {
      verification: 'initiated',
      waitingOn: 'applicant',
      awaitsKyb: false,
      holds: [],
      version: 1,
      pending: null,
    },
    accounts: [],
    internalSettlements: false,
    kybId: null,
    name: PERSON.name,
    surname: PERSON.surname,
    kybProgress: null,
    undeliveredAt: null,
    erasedAt: null,
  }
}
