/** Rules for the problems of a profile, which prevent its publication. */

/** The problems of a profile, with the next step. */
export const PROFILE_PROBLEMS = {
  duplicate_path: 'Another row has this path. Remove one of them.',
  unknown_path:
    'There is no specified field with this path. Begin the path of a new field with `additional.`.',
  taken_name: 'A specified field has this name. Choose another name.',
  fixed_type: 'The specification fixes the type and the choices of this field. Choices can only be left out.',
  changed_type:
    'An earlier version has a field of this name with another type. Choose another name, so that stored answers keep their type.',
  no_values: 'A field of this type needs choices. Add `values`.',
  duplicate_value: 'This choice occurs twice. Remove one of them.',
  unknown_value: 'The field cannot have this value. Correct or remove it.',
  unknown_field: 'The condition names a field that does not exist. Name a field by its path.',
  wrong_test: 'The test does not fit the type of the field that it names. Choose another test.',
  never_met: 'No answer can meet this condition. Change the condition or remove it.',
  cycle: 'The question depends on its own answer. Remove one of the conditions.',
  wrong_section: 'The field cannot be in this section. Choose another one.',
  unknown_group: 'The section does not have this group. Choose another one or remove it.',
  wrong_limit: 'The limit does not fit the type of the field. Change or remove it.',
  no_range: 'No value is within these limits. Change one of them.',
  missing_language: 'The text is missing in a language of the vault. Add it.',
  unknown_language: 'Pages do not have this language. Remove the text.',
} as const satisfies Record<string, string>
export type ProfileProblemCode = keyof typeof PROFILE_PROBLEMS

export interface ProfileProblem {
  /** The place in the document, such as `company.rows.3.asked`. */
  readonly path: string
  readonly code: ProfileProblemCode
  readonly message: string
}

export const problem = (path: string, code: ProfileProblemCode): ProfileProblem => ({
  path,
  code,
  message: PROFILE_PROBLEMS[code],
})
