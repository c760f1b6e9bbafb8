/** Handles the buttons of a decision form that do not submit the decision, for browsers without scripts. */
import { validate as isUuid } from 'uuid'
import type { Entity } from '../../domain/entity/entity.ts'
import { getCommentTemplate } from '../../use-cases/access/comment-templates.ts'
import type { Sent } from '../values/form-values.ts'
import type { CaseForm } from './case-form.ts'
import { NOTHING_REFUSED, readTyped } from './decision.ts'
import { keyOf } from './finding.tsx'

/** Shows the form again with another outcome, without one of the findings, or with the text of a template. */
export async function prepareDecision<E extends Entity>({
  deps,
  visit,
  target,
  req,
  showAgain,
}: CaseForm<E>): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const asked = (name: string) => [sent[name] ?? []].flat()[0] ?? ''
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
