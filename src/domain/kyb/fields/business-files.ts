/** Rules for the fields that contain company documents. */
import type { DescribedFields } from '../../fields/field.ts'

export const BUSINESS_FILES = {
  incorporation_certificates: {
    type: 'files',
    required: true,
    description: 'Extract from the commercial register.',
  },
  articles_of_association: { type: 'files', required: true, description: 'Articles of association.' },
  legal_structures: { type: 'files', description: 'Structure chart of the company or its group.' },
  residence_proofs: { type: 'files', description: 'Proof of the company’s address.' },
  shareholders_registers: { type: 'files', required: true, description: 'Register of shareholders.' },
  directors_registers: { type: 'files', required: true, description: 'Register of directors.' },
  good_standing_certificate: { type: 'files', description: 'Certificate of good standing.' },
  internal_shareholder_register: {
    type: 'files',
    description: 'The company’s own register of shareholders.',
  },
  power_of_attorney: {
    type: 'files',
    required: { field: 'business_files.signature_type', isNot: 'single' },
    description: 'Power of attorney.',
  },
  signature_type: {
    type: 'one_of',
    values: ['single', 'joint', 'joint_any_two', 'other'],
    required: true,
    description: 'Signing authority. `single` means that one person can sign for the company.',
  },
  public_registry_shares: {
    type: 'boolean',
    description: 'Whether a public register shows the shareholders.',
  },
} as const satisfies DescribedFields
