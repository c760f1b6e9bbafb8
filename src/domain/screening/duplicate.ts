/** Why an application or identification may be the same as another. */
export const DUPLICATE_REASONS = [
  'registration_number',
  'company_name',
  'email',
  'name_and_birth_date',
] as const
export type DuplicateReason = (typeof DUPLICATE_REASONS)[number]
