/** Rules for the reasons why two cases may be about the same company or person. */
export const DUPLICATE_REASONS = [
  'registration_number',
  'company_name',
  'email',
  'name_and_birth_date',
] as const
export type DuplicateReason = (typeof DUPLICATE_REASONS)[number]
