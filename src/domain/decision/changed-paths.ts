/** Which fields and files something touched: paths and ids, never what is in them. Pure. */

import { filesOf } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import type { IdentificationRecord } from '../identification/record.ts'
import { changesBetween } from '../kyb/changes.ts'
import { namedFiles } from '../kyb/content.ts'
import type { KybContent } from '../kyb/fields.ts'
import type { KybRecord } from '../kyb/transition.ts'
import type { Correction } from './decision.ts'

export interface ChangedPaths {
  readonly fields: readonly string[]
  readonly files: readonly string[]
}

/** Who came or went is one path, that of the person. */
export const changedContentPaths = (before: KybContent, after: KybContent): ChangedPaths => ({
  fields: changesBetween(before, after, () => '').map(({ path }) => path),
  files: either([...namedFiles(before)], [...namedFiles(after)]),
})

export const changedProfilePaths = (before: Profile, after: Profile): ChangedPaths => ({
  fields: [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  ),
  files: either(filesOf(before), filesOf(after)),
})

/** What a command changed; of a request for changes, what is to be corrected; of a reply, what it is about. */
export const changedKybPaths = (before: KybRecord, after: KybRecord): ChangedPaths =>
  together(
    changedContentPaths(before.content, after.content),
    changedCorrectionPaths(before.corrections, after.corrections),
    changedCorrectionPaths(before.replies, after.replies),
  )

export const changedIdentificationPaths = (
  before: IdentificationRecord,
  after: IdentificationRecord,
): ChangedPaths =>
  together(
    changedProfilePaths(before.profile, after.profile),
    changedCorrectionPaths(before.review?.corrections, after.review?.corrections),
    changedCorrectionPaths(before.review?.replies, after.review?.replies),
  )

/** Those that are new: what is mended goes, and the others stay as they are. */
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

/** What is in one of the lists alone. */
const either = (one: readonly string[], other: readonly string[]): string[] => [
  ...one.filter((each) => !other.includes(each)),
  ...other.filter((each) => !one.includes(each)),
]
