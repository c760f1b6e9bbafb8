/** Use cases for marks, with which an operator accepts or flags fields and documents before deciding. */
import { deleteMarks, listMarks, saveMarks } from '../../db/cases/review-mark.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { Entity, EntityRef } from '../../domain/entity/entity.ts'
import { RULES } from '../../domain/entity/rules.ts'
import {
  isCurrentMark,
  type MarkPlace,
  type MarkRules,
  markKey,
  markRulesOfIdentification,
  markRulesOfKyb,
  type NewMark,
  type ReviewMark,
} from '../../domain/review/review-mark.ts'
import type { Deps } from '../base/deps.ts'
import { getRecord } from '../case/command.ts'
import { refuseErased } from '../case/entity-ref.ts'
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
  const rules = await readMarkRules(deps, target)
  return (await listMarks(deps.db, target, userId)).filter((mark) => isCurrentMark(mark, rules))
}

async function readMarkRules(deps: MarkDeps, target: EntityRef): Promise<MarkRules> {
  if (target.entity === 'identification')
    return markRulesOfIdentification(await getRecord(deps, { ...target, entity: 'identification' }))
  const application = await getRecord(deps, { ...target, entity: 'kyb' })
  return markRulesOfKyb(application, await readChangesSinceDecision(deps, application))
}

/**
 * Saves the operator's marks, and removes those at the places in `cleared`. Throws `invalid` if the case has no such
 * place or a document cannot be accepted, and `identification_erased`.
 */
export async function setReviewMarks<E extends Entity>(
  deps: MarkDeps,
  target: EntityRef<E>,
  userId: string,
  marks: readonly NewMark[],
  cleared: readonly MarkPlace[] = [],
): Promise<void> {
  const record = await getRecord(deps, target)
  const { canFlag, canAccept } = RULES[target.entity]
  // If a request names a place twice, the later mark counts.
  const distinct = [...new Map(marks.map((mark) => [markKey(mark), mark])).values()]
  if (!distinct.every((mark) => canFlag(record, mark)))
    throw new RequestRefused({ code: 'invalid', field: 'marks', message: UNKNOWN })
  if (distinct.some((mark) => mark.code === null && !canAccept(record, mark)))
    throw new RequestRefused({ code: 'invalid', field: 'marks', message: UNREADABLE })
  await transaction(deps.db, async (tx) => {
    await refuseErased(tx, target)
    if (cleared.length > 0) await deleteMarks(tx, target, userId, cleared)
    if (distinct.length > 0) await saveMarks(tx, target, userId, distinct)
  })
}

const UNKNOWN =
  'The case has no such field or document. Send a path of the case, and the ID of a document in it.'
const UNREADABLE = 'A document that cannot be opened cannot be accepted. Send a code to flag it.'

setReviewMarks.refuses = ['identification_erased'] as const satisfies Refusals
