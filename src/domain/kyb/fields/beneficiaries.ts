/** Rules for the fields about owners and directors, both for the whole company and for each person. */
import type { DescribedFields } from '../../fields/field.ts'

export const BENEFICIARIES = {
  evidence_of_ubos: {
    type: 'files',
    required: true,
    description: 'Documents that show the company’s ultimate beneficial owners.',
  },
  shareholders_confirmation: {
    type: 'confirmation',
    required: true,
    description: 'The company’s confirmation that all owners and directors are listed.',
  },
} as const satisfies DescribedFields

export const BENEFICIARY_FIELDS = {
  full_name: {
    type: 'short_text',
    required: true,
    description: 'First names and surname, as shown in the identity document.',
    example: 'Ada Lovelace',
  },
  roles: {
    type: 'some_of',
    values: ['director', 'ubo', 'shareholder', 'signatory', 'authorized_person'],
    required: true,
    description: 'The person’s roles in the company. `ubo` is an ultimate beneficial owner.',
  },
  stake_in_company: {
    type: 'percentage_text',
    required: { field: 'roles', has: 'ubo' },
    description: 'Percentage of the company that the person owns, as a number in a string.',
    example: '60',
  },
  email: {
    type: 'email',
    description:
      'Identifies the beneficiary if no `external_id` is sent. The email is not case-sensitive. Each beneficiary of an application must have a different email.',
    example: 'ada@example.com',
  },
  politically_exposed: {
    type: 'boolean',
    required: true,
    description: 'Whether the person holds or held a high public office, which counts as a risk.',
  },
  proof_address: { type: 'files', description: 'Proof of the person’s address.' },
  beneficiary_identification: {
    type: 'files',
    required: { field: 'verification', isNot: 'approved' },
    description: 'The person’s identity documents.',
  },
} as const satisfies DescribedFields

/** The list whose files can show one side of an identity card each. */
export const TWO_SIDED = 'beneficiary_identification' satisfies keyof typeof BENEFICIARY_FIELDS
