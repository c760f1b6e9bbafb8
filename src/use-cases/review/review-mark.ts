/** Use cases for marks, with which an operator accepts or flags fields and documents before deciding. */
import { getStateForUpdate } from '../../db/cases/identification.ts'
import { findIdentificationOfKyb } from '../../db/cases/kyb-application.ts'
import { deleteMarks, listMarks, saveMarks } from '../../db/cases/review-mark.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { formOf, pathsOf } from '../../domain/identification/person-form.ts'
import { hasFile, isFieldPath } from '../../domain/kyb/content.ts'
import {
  isCurrentMark,
  type MarkPlace,
  markKey,
  type NewMark,
  type ReviewMark,
} from '../../domain/review/review-mark.ts'
import type { Deps } from '../base/deps.ts'
import { getRecord } from '../case/command.ts'
import { recordCaseRead } from '../case/reading-record.ts'
import { readChangesSinceDecision } from './review.ts'

type MarkDeps = Pick<Deps, 'db' | 'config'>

export const listReviewMarks = ({ db }: MarkDeps, target: EntityRef, userId: string): Promise<ReviewMark[]> =>
  listMarks(db, target, userId)

/** Returns the operator's marks that still apply, and records that the operator reads the case. */
export async function readReviewMarks(
  deps: MarkDeps & Pick<Deps, 'spend'>,
  by: By,
  target: EntityRef,
  userId: string,
): Promise<ReviewMark[]> {
  await recordCaseRead(deps, by, target)
  const since = await sinceOf(deps, target)
  return (await listMarks(deps.db, target, userId)).filter((mark) => isCurrentMark(mark, since))
}

async function sinceOf(deps: MarkDeps, target: EntityRef): Promise<Parameters<typeof isCurrentMark>[1]> {
  if (target.entity === 'kyb') {
    const application = await getRecord(deps, { ...target, entity: 'kyb' })
    const changes = await readChangesSinceDecision(deps, application)
    const changed = new Set(changes.map(({ path }) => path))
    const { waitingSince, review } = application
    return { waitingSince, decidedAt: review?.decidedAt ?? null, isChanged: (path) => changed.has(path) }
  }
  const { waitingSince, review } = await getRecord(deps, { ...target, entity: 'identification' })
  return { waitingSince, decidedAt: review && new Date(review.decidedAt * 1_000), isChanged: () => true }
}

/**
 * Saves the operator's marks, and removes those at the places in `cleared`. Throws `invalid` if the case has no such
 * place. Throws `identification_erased`, because a comment added after the erasure would never be erased.
 */
export async function setReviewMarks(
  deps: MarkDeps,
  target: EntityRef,
  userId: string,
  marks: readonly NewMark[],
  cleared: readonly MarkPlace[] = [],
): Promise<void> {
  const isKnown = await placesOf(deps, target)
  // If a request names a place twice, the later mark counts.
  const distinct = [...new Map(marks.map((mark) => [markKey(mark), mark])).values()]
  if (!marks.every(isKnown)) throw new RequestRefused({ code: 'invalid', field: 'marks', message: UNKNOWN })
  await transaction(deps.db, async (tx) => {
    const { entity, id } = target
    const identificationId = entity === 'kyb' ? await findIdentificationOfKyb(tx, id) : id
    const { erasedAt } = await getStateForUpdate(tx, identificationId ?? '')
    if (erasedAt) throw new RequestRefused({ code: 'identification_erased' })
    if (cleared.length > 0) await deleteMarks(tx, target, userId, cleared)
    if (distinct.length > 0) await saveMarks(tx, target, userId, distinct)
  })
}

const UNKNOWN =
  'The case has no such field or document. Send a path of the case, and the ID of a document in it.'

setReviewMarks.refuses = ['identification_erased'] as const satisfies Refusals

/** Returns a function that reports whether the case has a field or document at a place. */
async function placesOf(deps: MarkDeps, target: EntityRef): Promise<(place: MarkPlace) => boolean> {
  if (target.entity === 'kyb') {
    const { form, content } = await getRecord(deps, { ...target, entity: 'kyb' })
    return ({ path, fileId }) =>
      fileId === null ? isFieldPath(form, content, path) : hasFile(content, path, fileId)
  }
  const { profile, ...identification } = await getRecord(deps, { ...target, entity: 'identification' })
  const paths = pathsOf(formOf(identification))
  return ({ path, fileId }) =>
    fileId === null ? paths.includes(path) || Object.hasOwn(profile, path) : profile[path] === fileId
}
