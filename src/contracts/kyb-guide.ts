/** What each field of an application means, in the reference: a sentence, and an example where its kind has none. */
import {
  BENEFICIARY_FIELDS,
  emptyContent,
  type FieldKind,
  KYB_FIELDS,
  SECTIONS,
  type Section,
} from '../domain/kyb/fields.ts'
import { EVER_REQUIRED_OF_PERSON, everRequired, requiredFields } from '../domain/kyb/requirements.ts'
import { whatCounts } from '../domain/kyb/values.ts'

interface Told {
  readonly description: string
  readonly examples?: readonly unknown[]
}

type Entry = readonly [description: string, ...examples: readonly string[]]

const SECTION_GUIDE = {
  nature_of_business: {
    legal_company_name: ['The name of the company as the register has it.', 'Analytical Engines GmbH'],
    comercial_name: ['The name it trades under.', 'Engines'],
    different_commercial_name: ['Whether the trading name is another than the legal one.'],
    company_registration_id: ['Its number in the commercial register.', 'HRB 18421'],
    country_of_incorporation: ['Where it is registered.'],
    date_of_incorporation: ['When it was registered.'],
    description_activity: ['What it does, in its own words.', 'Builds calculating machines.'],
    products_offered: ['What it sells.', 'Calculating machines and their upkeep'],
    subject_of_supervision: [
      'The authority that supervises it; leave it out where there is none. With it, `proof_regulations` is needed.',
      'BaFin',
    ],
    website: ['Its website, `http` or `https`.', 'https://engines.example.com'],
    phone: ['The phone number of the company: international format, with the leading plus.'],
    email: ['The e-mail address of the company.', 'office@engines.example.com'],
    legal_address: ['Street and number of its registered seat.', 'Unter den Linden 1'],
    postal_code_address: ['Postcode of the seat.', '10117'],
    city_address: ['City of the seat.', 'Berlin'],
    state_address: ['State or region of the seat.', 'Berlin'],
    country_address: ['Country of the seat.'],
    vat_number: ['Its VAT number.', 'DE123456789'],
    company_type: ['Its legal form.'],
    tax_residency_country: ['Where it pays taxes.'],
    directors_residency_country: ['Where its directors live.'],
    website_legal_name_check: ['The company’s word on whether its website shows the legal name.'],
    website_activity_check: ['The company’s word on whether its website shows what it does.'],
  },
  usage_of_account: {
    usage: ['What the account will be used for.', 'Payouts to suppliers'],
    source_of_funds: ['Where the money comes from.'],
    nesting_confirmation: [
      'Nesting: whether the company will hold or move money for customers of its own. It counts as a risk.',
    ],
    nesting_justification: [
      'Why it acts for others, and for whom. Needed when `nesting_confirmation` is true.',
      'We collect rents for owners of flats.',
    ],
    flow_of_funds_description: [
      'From whom money comes and to whom it goes.',
      'From buyers in the EU to suppliers in Germany.',
    ],
    fund_origin_confirmation: ['The company’s word that the money comes from lawful sources.'],
    ubo_source_of_wealth: ['How the owners came to their wealth.'],
    ubo_source_of_wealth_other: [
      'How else. Needed when `ubo_source_of_wealth` is `other`.',
      'Royalties of a book',
    ],
    list_of_services: ['The services that the company wants to use.'],
    list_of_countries_operated: ['Where it is active: codes separated by commas.'],
    list_of_countries_intended: [
      'With which countries it will exchange payments: codes separated by commas.',
    ],
    fund_evidences: ['Documents that show where the money comes from.'],
    proof_regulations: ['Its licence. Needed when `subject_of_supervision` is given.'],
    aml_policies: ['Its own rules against money laundering.'],
    risky_activities: [
      'What it does that is of higher risk; leave it out where there is nothing.',
      'Pays out winnings of games',
    ],
    trx_count_monthly: ['How many payments it expects in a month: a number as text.', '120'],
    trx_value_monthly: ['What they are worth together, in euros: a number as text.', '45000'],
    introduced_to_service: ['How the company heard of the service.', 'A customer told us'],
  },
  business_files: {
    incorporation_certificates: ['Extract of the commercial register.'],
    articles_of_association: ['Articles of association.'],
    legal_structures: ['Chart of the structure of the company or its group.'],
    residence_proofs: ['Documents that show its address.'],
    shareholders_registers: ['Register of shareholders.'],
    directors_registers: ['Register of directors.'],
    good_standing_certificate: ['Certificate of good standing.'],
    internal_shareholder_register: ['The register of shareholders that the company keeps itself.'],
    power_of_attorney: [
      'Power of attorney. Needed when `signature_type` is given and another than `single`.',
    ],
    signature_type: ['Who signs for the company: one alone, or several together.'],
    public_registry_shares: ['Whether a public register shows who has its shares.'],
  },
  beneficiaries: {
    evidence_of_ubos: ['Documents that show who owns the company in the end.'],
    shareholders_confirmation: ['The company’s word that all owners and directors are listed.'],
  },
} as const satisfies { [S in Section]: Record<keyof (typeof KYB_FIELDS)[S], Entry> }

const PERSON_GUIDE = {
  full_name: [
    'First names and surname, as in the identity document. Needed of every beneficiary.',
    'Ada Lovelace',
  ],
  stake_in_company: [
    'Share of the company in percent, a number as text. Needed of whoever has the role `ubo`.',
    '60',
  ],
  email: [
    'Tells one beneficiary of the application from another; upper and lower case are the same, and it stays as it was first written.',
    'ada@example.com',
  ],
  politically_exposed: [
    'Whether the person holds or held a high public office. It counts as a risk. Needed of every beneficiary.',
  ],
  proof_address: ['Documents that show where the person lives.'],
  beneficiary_identification: [
    'Identity documents. Needed of every beneficiary whose `verification` is not `approved`.',
  ],
  roles: ['What the person is in the company; `ubo` is an owner in the end. Needed of every beneficiary.'],
} as const satisfies Record<keyof typeof BENEFICIARY_FIELDS, Entry>

const NEEDED = ' Needed for the application to be complete.'

interface Needed {
  readonly always?: readonly string[]
  readonly ever: readonly string[]
}

const tell = (
  guide: Readonly<Record<string, Entry>>,
  kinds: Readonly<Record<string, FieldKind>>,
  { always = [], ever }: Needed,
) =>
  Object.fromEntries(
    Object.entries(guide).map(([name, [description, ...examples]]): [string, Told] => {
      const counts = ever.includes(name) && whatCounts(kinds[name] as FieldKind)
      return [
        name,
        {
          description: description + (always.includes(name) ? NEEDED : '') + (counts ? ` ${counts}` : ''),
          ...(examples.length > 0 && { examples }),
        },
      ]
    }),
  )

/** By section and field. */
export const KYB_GUIDE = Object.fromEntries(
  SECTIONS.map((section) => [
    section,
    tell(SECTION_GUIDE[section], KYB_FIELDS[section], {
      always: requiredFields(section, emptyContent()),
      ever: everRequired(section),
    }),
  ]),
) as Record<Section, Record<string, Told>>

/** By field of a beneficiary. */
export const BENEFICIARY_GUIDE = tell(PERSON_GUIDE, BENEFICIARY_FIELDS, { ever: EVER_REQUIRED_OF_PERSON })
