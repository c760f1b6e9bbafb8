/** Component: the screening hits of a case. Shows the open hit in detail, with the documents about its subject. */
import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { decideHitBody } from '../../../contracts/screening.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import {
  canHaveMoreHits,
  type Hit as FoundHit,
  openHitsIn,
  type ScreeningResult,
} from '../../../domain/screening/hit.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { newEffect } from '../../../use-cases/base/effect.ts'
import { findTargetOfHit } from '../../../use-cases/case/entity-ref.ts'
import { decideAboutHit } from '../../../use-cases/review/screening-hit.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { Frame } from '../../components/layout.tsx'
import { collectProblems } from '../../routing/refusals.ts'
import { plain, type Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { momentOf, wordOf } from '../base/words.ts'
import { type Refused, refusedDecision } from './decision.ts'
import type { CasePanel } from './page.tsx'
import { Hit, type HitProps, scoreText } from './screening-hit.tsx'
import { casePath, tabPath } from './tabs.ts'
import type { CaseView } from './view.tsx'
import { type CaseDocument, Picture } from './viewer.tsx'

interface ScreeningProps extends Omit<HitProps, 'hit'>, Pick<CaseView, 'base' | 'documents' | 'hit'> {
  readonly screening: ScreeningResult
}

export function screeningPanel(view: CaseView, screening: ScreeningResult): CasePanel {
  const open = openHitsIn(screening).length
  return {
    tab: 'screening',
    name: view.visit.frame.t('console.screening.lists'),
    // Without a screening, 0 would mean that there are no hits.
    count: screening.screenedAt === null ? undefined : open || screening.hits.length,
    isUrgent: open > 0,
    isWide: true,
    content: <Screening {...view} screening={screening} />,
  }
}

function Screening({ base, screening, documents, hit: chosen, ...shared }: ScreeningProps) {
  const { frame } = shared.visit
  const { t } = frame
  const { screenedAt: at, hits } = screening
  const wanted = shared.typed.hit?.id ?? chosen
  // If there are open hits, the first hit is one of them.
  const shown = hits.find(({ id }) => id === wanted) ?? hits[0]
  const screened =
    at === null ? t('console.screening.notYet') : t('console.screening.at', { when: momentOf(frame, at) })
  if (!shown)
    return (
      <EmptyState
        icon="shield-check"
        text={t(at === null ? 'console.screening.notYet.text' : 'console.screening.none.text', { screened })}
      />
    )
  const open = openHitsIn(screening)
  const decided = hits.filter(({ status }) => status !== 'open')
  const about = documentsAbout(shown, documents)
  const lists = [
    ['hits-open', t('console.screening.open', { count: open.length }), open],
    ['hits-decided', t('console.screening.decided'), decided],
  ] as const
  return (
    <div class="panes screening">
      <nav class="pane-start" aria-label={t('console.screening')}>
        {lists.map(([id, title, list]) =>
          list.length === 0 ? null : (
            <section key={id} aria-labelledby={id}>
              <h2 id={id}>{title}</h2>
              <ul class="card rows">
                {list.map((hit) => (
                  <HitRow key={hit.id} frame={frame} base={base} hit={hit} isShown={hit === shown} />
                ))}
              </ul>
            </section>
          ),
        )}
        {canHaveMoreHits(screening) ? <p class="quiet">{t('console.screening.more')}</p> : null}
        <p class="quiet">{screened}</p>
      </nav>
      <Hit {...shared} hit={shown} />
      {about.length > 0 ? (
        <section class="pane-end screen-only" aria-labelledby="proof-title">
          <h2 id="proof-title">{t('console.hit.proof')}</h2>
          {about.map((file) => (
            <figure key={file.id}>
              <figcaption>{file.label}</figcaption>
              <Picture base={base} {...file} />
            </figure>
          ))}
        </section>
      ) : null}
    </div>
  )
}

const MAX_PROOF = 6

function documentsAbout({ subject }: FoundHit, documents: readonly CaseDocument[]): CaseDocument[] {
  if (subject.key === 'person') return documents.slice(0, MAX_PROOF)
  const isOf = (key: string) => (file: CaseDocument) => file.path.includes(`.${key}.`)
  if (subject.key !== 'company') return documents.filter(isOf(subject.key)).slice(0, MAX_PROOF)
  const isOfPerson = (file: CaseDocument) => file.path.startsWith('beneficiaries.')
  return documents.filter((file) => !isOfPerson(file)).slice(0, MAX_PROOF)
}

interface HitRowProps {
  readonly frame: Frame
  readonly base: string
  readonly hit: FoundHit
  readonly isShown: boolean
}

const HitRow = ({ frame, base, hit: { id, entry, score, status, dismissalBy }, isShown }: HitRowProps) => (
  <li>
    <a
      class="hit-row"
      href={`${tabPath(base, 'screening')}&hit=${id}#screening-title`}
      data-hit
      {...(isShown && { 'aria-current': 'true' })}
    >
      <span class="row-name">{entry.caption}</span>
      <span>
        {frame.t('console.hit.score')} {scoreText(frame, score)}
      </span>
      <span class="quiet">
        {entry.topics.map((topic) => wordOf(frame, 'console.topic', topic)).join(', ')}
      </span>
      {dismissalBy === null && status === 'open' ? null : (
        <span class={status === 'dismissed' ? 'quiet' : 'tone-danger'}>
          {frame.t(dismissalBy === null ? `console.hit.${status}` : 'console.hit.proposed.short')}
        </span>
      )}
    </a>
  </li>
)

/** Decides on a hit. If the hit has changed in the meantime, `showAgain` shows its current state. */
export async function decideHitFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
  showAgain: (target: EntityRef, refused: Refused) => Promise<void>,
): Promise<void> {
  const { frame, grants } = visit
  const { outcome, comment, found_at, decided_at } = (req.body ?? {}) as Sent
  const given = plain(comment)
  const target = await findTargetOfHit(deps, visit, id)
  const problems = await collectProblems(async () => {
    const {
      found_at: foundAt,
      decided_at: decidedAt,
      ...said
    } = parseOrRefuse(decideHitBody, {
      outcome,
      ...(given !== '' && { comment: given }),
      found_at: Number(found_at),
      decided_at: decided_at ? Number(decided_at) : null,
    })
    const decided = { ...said, foundAt, decidedAt }
    return decideAboutHit(deps, { grants, by: byOf(visit, req), effect: newEffect() }, id, decided)
  })
  if (problems.length > 0)
    return showAgain(target, {
      ...refusedDecision(frame, problems, 'screening-title'),
      typed: { hit: { id, comment: given } },
    })
  res.redirect(303, casePath(target, 'screening-title'))
}
