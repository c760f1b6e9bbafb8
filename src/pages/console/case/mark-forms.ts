/** Reads the marks of a case for its page, and saves the marks that a form sends. */
import type { Request } from 'express'
import { validate as isUuid } from 'uuid'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { markComment } from '../../../contracts/review-mark.ts'
import { FINDING_CODES, type FindingCode } from '../../../domain/decision/decision.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Entity, EntityRef } from '../../../domain/entity/entity.ts'
import {
  isCurrentMark,
  type MarkRules,
  markKey,
  type NewMark,
  readMarkKey,
} from '../../../domain/review/review-mark.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listReviewMarks, setReviewMarks } from '../../../use-cases/review/review-mark.ts'
import { collectProblems } from '../../routing/refusals.ts'
import { plain, type Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { refusedDecision } from './decision.ts'
import type { CaseForm } from './form.ts'
import type { Marks } from './marks.tsx'
import { isTab } from './tabs.ts'

interface Shown extends Pick<Marks, 'tab' | 'document' | 'canMark'> {
  readonly base: string
}

export async function readMarks(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef,
  { query }: Request,
  rules: MarkRules,
  shown: Shown,
): Promise<Marks> {
  const marks = await listReviewMarks(deps, target, visit.userId)
  const current = marks.filter((mark) => isCurrentMark(mark, rules))
  return {
    ...shown,
    visit,
    canFlag: rules.canFlag,
    canAccept: rules.canAccept,
    byKey: new Map(current.map((mark) => [markKey(mark), mark])),
    flagging: typeof query.flag === 'string' ? query.flag : null,
  }
}

const isCode = (code: string): code is FindingCode => FINDING_CODES.some((each) => each === code)

/** Returns the marks that the form sets, and the keys of the marks that it removes. Throws RequestRefused. */
function readForm(sent: Sent): { readonly marks: NewMark[]; readonly cleared: string[] } {
  const { accept, clear, flag } = sent
  if (clear !== undefined) return { marks: [], cleared: [plain(clear)] }
  if (accept !== undefined) {
    const places = plain(accept).split(' ').map(readMarkKey)
    return { marks: places.map((place) => ({ ...place, code: null, comment: null })), cleared: [] }
  }
  const code = plain(sent.code)
  if (!isCode(code)) return { marks: [], cleared: [] }
  const comment = parseOrRefuse(markComment.nullable(), plain(sent.comment) || null)
  return { marks: [{ ...readMarkKey(plain(flag)), code, comment }], cleared: [] }
}

export async function saveMarksFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, res, showAgain } = form
  const sent = (req.body ?? {}) as Sent
  const problems = await collectProblems(async () => {
    const { marks, cleared } = readForm(sent)
    await setReviewMarks(deps, target, visit.userId, marks, cleared.map(readMarkKey))
  })
  if (problems.length > 0) return showAgain({ ...refusedDecision(visit.frame, problems), typed: {} })
  const [tab, document] = [plain(sent.tab), plain(sent.document)]
  const address = new URLSearchParams({
    tab: isTab(tab) ? tab : 'summary',
    ...(isUuid(document) && { document }),
  })
  res.redirect(303, `${consolePath(target.entity, target.id)}?${address}`)
}
