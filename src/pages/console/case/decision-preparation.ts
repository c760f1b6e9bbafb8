/** Handles the buttons of a decision form. */
import { validate as isUuid } from 'uuid'
import { queueFilterOf } from '../../../contracts/queue.ts'
import { statusOf } from '../../../domain/base/errors.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { RULES } from '../../../domain/entity/rules.ts'
import { getCommentTemplate } from '../../../use-cases/access/comment-templates.ts'
import { newEffect } from '../../../use-cases/base/effect.ts'
import { decideCase } from '../../../use-cases/case/decision.ts'
import { isPending, wasDecidedSince } from '../../../use-cases/review/decided.ts'
import { assignNext } from '../../../use-cases/review/queue.ts'
import { collectProblems } from '../../routing/refusals.ts'
import type { Sent } from '../../values/form-values.ts'
import { rememberedQuery, rememberOpensNext, setFlash } from '../base/flash.ts'
import { textOf } from '../base/form.ts'
import { NOTHING_REFUSED, type Refused, readDecision, readTyped, refusedDecision } from './decision.ts'
import { keyOf } from './finding.tsx'
import type { CaseForm } from './form.ts'
import { readUntil } from './timeline.tsx'

/** Shows the form again with another outcome, without one of the findings, or with the text of a template. */
export async function prepareDecision<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, showAgain } = form
  const sent = (req.body ?? {}) as Sent
  const asked = (name: string) => textOf(sent, name) ?? ''
  const { findings = [], ...typed } = readTyped(sent)
  const kept = findings.filter(({ path, file_id }) => keyOf(path, file_id) !== asked('remove'))
  const template = isUuid(asked('template'))
    ? await getCommentTemplate(deps, visit, 'decide', target.vaultId, asked('template'))
    : null
  const comment = [typed.client_comment, template?.text].filter(Boolean).join('\n')
  const decide = asked('decide')
  await showAgain({
    ...NOTHING_REFUSED,
    typed: {
      ...typed,
      ...(comment !== '' && { client_comment: comment }),
      ...(decide !== '' && { outcome: decide }),
      ...(kept.length > 0 && { findings: kept }),
    },
    // The button that leads back to the case sends an empty outcome.
    isDeciding: sent.decide === undefined || decide !== '',
  })
}

/** Decides and redirects to the queue, also if the operator has made the same decision already. */
export async function decideFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, res } = form
  const { frame, actor } = visit
  const read = readDecision(frame, target.entity, req)
  const { typed } = read
  const showAgain = (refused: Refused) => form.showAgain({ ...refused, isDeciding: true })
  if ('problems' in read) return showAgain({ status: 422, problems: read.problems, typed })
  const { decided } = read
  const problems = await collectProblems(() => decideCase(deps, visit, target, decided, newEffect()))
  if (problems.length > 0) {
    const since = readUntil(req)
    const made = { ...decided, kind: RULES[target.entity].commandOf(decided.outcome), actor }
    const isMade =
      since !== null &&
      statusOf(problems) !== 503 &&
      (await wasDecidedSince(deps, target, { ...made, since }))
    if (!isMade) return showAgain({ ...refusedDecision(frame, problems), typed })
  }
  setFlash(deps, res, (await isPending(deps, target)) ? 'proposed' : 'decided', target)
  await leaveCase(form, typed.open_next === true)
}

/** Redirects to the next case of the queue, if the operator wants to open it, or to the queue. */
export async function leaveCase(
  { deps, visit, req, res }: Pick<CaseForm<Entity>, 'deps' | 'visit' | 'req' | 'res'>,
  opensNext: boolean,
): Promise<void> {
  rememberOpensNext(deps, res, opensNext)
  const next = opensNext
    ? await assignNext(deps, queueFilterOf(rememberedQuery(req), visit, 'decide'), visit.actor)
    : null
  res.redirect(303, next ? consolePath(next.entity, next.id) : '/console')
}
