/** Rules for recording changed fields by their paths and changed files by their IDs, without values. */

import type { Correction } from '../decision/decision.ts'
import { type ApplicantForm, filesOf } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import type { IdentificationRecord } from '../identification/record.ts'
import { changesBetween } from '../kyb/changes.ts'
import { namedFiles } from '../kyb/content.ts'
import type { KybContent } from '../kyb/fields.ts'
import type { Form } from '../kyb/form.ts'
import type { KybRecord } from '../kyb/record.ts'

export interface ChangedPaths {
  readonly fields: readonly string[]
  readonly files: readonly string[]
}

/** Returns the changed paths. An added or removed person counts as one path. */
export const changedContentPaths = (form: Form, before: KybContent, after: KybContent): ChangedPaths => ({
  fields: changesBetween(form, before, after, () => '').map(({ path }) => path),
  files: either([...namedFiles(form, before)], [...namedFiles(form, after)]),
})

export const changedProfilePaths = (
  before: Profile,
  after: Profile,
  form?: ApplicantForm,
  formBefore = form,
): ChangedPaths => ({
  fields: [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  ),
  files: either(filesOf(before, formBefore), filesOf(after, form)),
})

/** Returns the paths that a command changed, including the paths of new corrections and replies. */
export const changedKybPaths = (before: KybRecord, after: KybRecord): ChangedPaths =>
  together(
    changedContentPaths(after.form, before.content, after.content),
    changedCorrectionPaths(before.corrections, after.corrections),
    changedCorrectionPaths(before.replies, after.replies),
  )

export const changedIdentificationPaths = (before: IdentificationRecord, after: IdentificationRecord) =>
  together(
    changedProfilePaths(before.profile, after.profile, after.form, before.form),
    changedCorrectionPaths(before.review?.corrections, after.review?.corrections),
    changedCorrectionPaths(before.review?.replies, after.review?.replies),
  )

/** Returns the paths of new corrections. Omits settled and unchanged corrections. */
function changedCorrectionPaths(
  before: readonly Correction[] = [],
  after: readonly Correction[] = [],
): ChangedPaths {
  const added = after.filter((each) => !before.includes(each))
  return { fields: added.map(({ path }) => path), files: added.flatMap(({ fileId }) => fileId ?? []) }
}

const together = (...parts: readonly ChangedPaths[]): ChangedPaths => ({
  fields: [...new Set(parts.flatMap(({ fields }) => fields))],
  files: [...new Set(parts.flatMap(({ files }) => files))],
})

/** Returns the elements that are in exactly one of the lists. */
const either = (one: readonly string[], other: readonly string[]): string[] => [
  ...one.filter((each) => !other.includes(each)),
  ...other.filter((each) => !one.includes(each)),
]
