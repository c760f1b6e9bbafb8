/** Component: the screening hits of a case, each compared with the entered data, with a form to decide. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../contracts/check.ts'
import { decideHitBody } from '../../contracts/screening.ts'
import type { EntityRef } from '../../domain/entity.ts'
import type { Hit as FoundHit, ScreeningResult } from '../../domain/screening/hit.ts'
import { HIT_DECISIONS } from '../../domain/screening/screening.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { findTargetOfHit } from '../../use-cases/cases/entity-ref.ts'
import { decideAboutHit } from '../../use-cases/cases/screening-hit.ts'
import { newEffect } from '../../use-cases/effect.ts'
import { Button } from '../components/button.tsx'
import { textOf } from '../components/fields.tsx'
import { PostForm } from '../components/form.tsx'
import type { Frame } from '../components/layout.tsx'
import { plain, type Sent } from '../form-values.ts'
import { collectProblems } from '../refusals.ts'
import { casePath } from './case-tabs.ts'
import { type Refused, refusedDecision, type Typed } from './decision.ts'
import { nameOf, type TimelineShown } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'
import { momentOf, wordOf } from './words.ts'

interface ScreeningProps {
  readonly visit: ConsoleVisit
  readonly screening: ScreeningResult
  /** Emails of operators by ID. */
  readonly emails: TimelineShown['emails']
  /** The values of a refused form. */
  readonly typed: Typed['hit']
}

export function Screening({ visit, screening: { screenedAt: at, hits }, emails, typed }: ScreeningProps) {
  const { frame } = visit
  const { t } = frame
  if (hits.length === 0) return null
  const open = hits.filter(({ status }) => status === 'open').length
  return (
    <section class={open > 0 ? 'card hits' : 'card'} aria-labelledby="screening-title">
      <h2 id="screening-title">
        {open > 0 ? t('console.screening.open', { count: open }) : t('console.screening')}
      </h2>
      {at === null ? null : <p class="quiet">{t('console.screening.at', { when: momentOf(frame, at) })}</p>}
      {hits.map((hit) => (
        <Hit key={hit.id} visit={visit} hit={hit} emails={emails} typed={typed} />
      ))}
    </section>
  )
}

interface HitProps extends Omit<ScreeningProps, 'screening'> {
  readonly hit: FoundHit
}

function Hit({ visit, hit, emails, typed }: HitProps) {
  const { frame } = visit
  const { t } = frame
  const { entry } = hit
  const isOpen = hit.status === 'open'
  const isTyped = typed?.id === hit.id
  const shown = (
    <>
      <p>
        {entry.topics.map((topic) => (
          <strong key={topic} class="topic">
            {wordOf(frame, 'console.topic', topic)}
          </strong>
        ))}{' '}
        <span class="quiet">{[...entry.datasets, entry.id].join(' · ')}</span>
      </p>
      <Compared frame={frame} hit={hit} />
      <Parts frame={frame} hit={hit} />
      {hit.dismissalBy === null ? null : (
        <p>
          {t(hit.dismissalBy === visit.actor ? 'console.hit.proposed.mine' : 'console.hit.proposed', {
            who: nameOf(frame, emails, hit.dismissalBy),
          })}
        </p>
      )}
      {hit.comment ? <p class="comment">{hit.comment}</p> : null}
      <PostForm visit={visit} action={`/console/screening_hits/${hit.id}/decision`} data-unsent>
        <input type="hidden" name="found_at" value={inSeconds(hit.foundAt)} />
        <input type="hidden" name="decided_at" value={hit.decidedAt ? inSeconds(hit.decidedAt) : ''} />
        <label for={`hit-${hit.id}`}>{t('console.hit.why')}</label>
        <textarea id={`hit-${hit.id}`} name="comment" rows={2} maxLength={5_000}>
          {isTyped ? typed.comment : null}
        </textarea>
        <p class="choose">
          {[...HIT_DECISIONS].reverse().map((outcome) => (
            <Button key={outcome} kind="secondary" name="outcome" value={outcome}>
              {t(`console.hit.${outcome}.do`)}
            </Button>
          ))}
        </p>
      </PostForm>
    </>
  )
  return (
    <article class="hit" aria-labelledby={`title-${hit.id}`}>
      <h3 id={`title-${hit.id}`}>
        <span class="score">{scoreText(frame, hit.score)}</span> {entry.caption}{' '}
        <span class={`verdict status${isOpen || hit.status === 'confirmed' ? ' bad' : ''}`}>
          {t(`console.hit.${hit.status}`)}
        </span>
      </h3>
      {isOpen || hit.dismissalBy !== null ? (
        shown
      ) : (
        <details open={isTyped}>
          <summary>{t('console.hit.by', { who: nameOf(frame, emails, hit.decidedBy ?? '') })}</summary>
          {shown}
        </details>
      )}
    </article>
  )
}

/** Returns the time as the form sends it. It shows whether the hit has changed since the page was loaded. */
const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000)

const scoreText = ({ language }: Frame, score: number): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(score)

function Compared({ frame, hit: { subject: own, entry } }: { frame: Frame; hit: FoundHit }) {
  const { t } = frame
  // Some list entries have only the year of birth.
  const days = (dates: readonly string[]) =>
    dates.map((date) => (/^\d{4}-\d\d-\d\d$/.test(date) ? textOf(frame, 'date', date) : date))
  const countries = (codes: readonly string[]) =>
    codes.map((code) => textOf(frame, 'country', code.toUpperCase()))
  const rows = [
    ['console.hit.names', own.names, [...entry.names, ...entry.weakNames]],
    ['console.hit.born', days(own.birthDate ? [own.birthDate] : []), days(entry.birthDates)],
    ['console.hit.countries', countries(own.countries), countries(entry.countries)],
    ['console.hit.number', own.registrationNumber ? [own.registrationNumber] : [], entry.registrationNumbers],
  ] as const
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('console.hit.entered')}</th>
          <th scope="col">{t('console.hit.listed')}</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(([, left, right]) => left.length + right.length > 0)
          .map(([label, left, right]) => (
            <tr key={label}>
              <th scope="row">{t(label)}</th>
              {[left, right].map((values, side) => (
                <td key={side}>{values.length > 0 ? values.join('; ') : t('console.hit.unknown')}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  )
}

/** Lists the components of the score. */
function Parts({ frame, hit: { parts } }: { frame: Frame; hit: FoundHit }) {
  const inWords = (codes: string) =>
    codes.replace(/\b[a-z]{2}\b/g, (code) => textOf(frame, 'country', code.toUpperCase()))
  return (
    <ul class="plain parts">
      {parts.map(({ name, score, detail }) => (
        <li key={name}>
          <span class="score">{scoreText(frame, score)}</span> {wordOf(frame, 'console.part', name)}
          {detail ? (
            <span class="quiet"> {name === 'country_differs' ? inWords(detail) : detail}</span>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/** Decides a hit. If it has changed in the meantime, `showAgain` shows its current state. */
export async function decideHitFromForm(
  deps: RouteDeps,
  { actor, frame }: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
  showAgain: (target: EntityRef, refused: Refused) => Promise<void>,
): Promise<void> {
  const { outcome, comment, found_at, decided_at } = (req.body ?? {}) as Sent
  const given = plain(comment)
  const target = await findTargetOfHit(deps, id)
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
    return decideAboutHit(deps, { actor, effect: newEffect() }, id, decided)
  })
  if (problems.length > 0)
    return showAgain(target, {
      ...refusedDecision(frame, problems, 'screening-title'),
      typed: { hit: { id, comment: given } },
    })
  res.redirect(303, casePath(target, 'screening-title'))
}
