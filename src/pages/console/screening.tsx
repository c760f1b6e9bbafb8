/** What was found on lists: each hit with what was entered beside it, why it is one, and what an operator says. */
import type { Request, Response } from 'express'
import { v7 as newId } from 'uuid'
import { decideHitBody } from '../../contracts/screening.ts'
import { findHit } from '../../db/screening.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { HIT_DECISIONS } from '../../domain/screening.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { check } from '../../http/route.ts'
import type { ShownScreening } from '../../http/screening-answer.ts'
import { decideAboutHit } from '../../use-cases/screening-hit.ts'
import type { Sent } from '../fields.tsx'
import { PostForm } from '../form.tsx'
import type { Frame } from '../layout.tsx'
import { type Refused, refusedDecision } from './decision.ts'
import { addressOf } from './queue.tsx'
import type { ConsoleVisit } from './visit.ts'
import { wordOf } from './words.ts'

type ShownHit = ShownScreening['hits'][number]

interface ScreeningProps {
  readonly visit: ConsoleVisit
  readonly screening: ShownScreening
}

/** One line where nothing is to be done. */
export function Screening({
  visit,
  screening: { screened_at: at, list_version: version, hits },
}: ScreeningProps) {
  const { t, language } = visit.frame
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const open = hits.filter(({ status }) => status === 'open').length
  const when =
    version === 'off'
      ? t('console.screening.off')
      : version === null || at === null
        ? t('console.screening.notYet')
        : t('console.screening.at', { when: moment.format(new Date(at * 1_000)) })
  if (hits.length === 0)
    return <p class="quiet">{`${when} ${version && at ? t('console.screening.none') : ''}`}</p>
  return (
    <section class={open > 0 ? 'card hits' : 'card'} aria-labelledby="screening-title">
      <h2 id="screening-title">
        {open > 0 ? t('console.screening.open', { count: open }) : t('console.screening')}
      </h2>
      <p class="quiet">{when}</p>
      {hits.map((hit) => (
        <Hit key={hit.id} visit={visit} hit={hit} />
      ))}
    </section>
  )
}

function Hit({ visit, hit }: { readonly visit: ConsoleVisit; readonly hit: ShownHit }) {
  const { frame } = visit
  const { t } = frame
  const { entry } = hit
  const isOpen = hit.status === 'open'
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
      {hit.comment ? <p class="comment">{hit.comment}</p> : null}
      <PostForm visit={visit} action={`/console/screening_hits/${hit.id}/decision`}>
        <input type="hidden" name="found_at" value={hit.found_at} />
        <label for={`hit-${hit.id}`}>{t('console.hit.why')}</label>
        <textarea id={`hit-${hit.id}`} name="comment" rows={2} maxLength={5_000} />
        <p class="choose">
          {[...HIT_DECISIONS].reverse().map((outcome) => (
            <button key={outcome} type="submit" class="second" name="outcome" value={outcome}>
              {t(`console.hit.${outcome}.do`)}
            </button>
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
      {isOpen ? (
        shown
      ) : (
        <details>
          <summary>{t('console.hit.by', { who: hit.decided_by ?? '' })}</summary>
          {shown}
        </details>
      )}
    </article>
  )
}

const scoreText = ({ language }: Frame, score: number): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(score)

function Compared({ frame: { t }, hit: { looked_for: own, entry } }: { frame: Frame; hit: ShownHit }) {
  const rows = [
    ['console.hit.names', own.names, [...entry.names, ...entry.weak_names]],
    ['console.hit.born', own.birth_date ? [own.birth_date] : [], entry.birth_dates],
    ['console.hit.countries', upper(own.countries), upper(entry.countries)],
    [
      'console.hit.number',
      own.registration_number ? [own.registration_number] : [],
      entry.registration_numbers,
    ],
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

const upper = (codes: readonly string[]): string[] => codes.map((code) => code.toUpperCase())

/** What the score is made of. */
const Parts = ({ frame, hit: { parts } }: { frame: Frame; hit: ShownHit }) => (
  <ul class="parts">
    {parts.map(({ name, score, detail }) => (
      <li key={name}>
        <span class="score">{scoreText(frame, score)}</span> {wordOf(frame, 'console.part', name)}
        {detail ? <span class="quiet"> {detail}</span> : null}
      </li>
    ))}
  </ul>
)

/** `again` shows what the hit says by now, where that is something else. */
export async function decideHitFromForm(
  { db }: RouteDeps,
  { actor, frame }: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
  again: (target: EntityRef, refused: Refused) => Promise<void>,
): Promise<void> {
  const { outcome, comment, found_at } = (req.body ?? {}) as Sent
  const given = String(comment ?? '').trim()
  const body = check(decideHitBody, {
    outcome,
    ...(given !== '' && { comment: given }),
    found_at: Number(found_at),
  })
  const { found_at: foundAt, ...said } = body
  const asked = await findHit(db, id)
  if (!asked) throw new RequestRefused({ code: 'not_found' })
  try {
    await decideAboutHit(db, { actor, effect: { id: newId(), again: false } }, id, { ...said, foundAt })
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.problems[0]?.code !== 'stale_version') throw error
    return again(asked.target, { ...refusedDecision(frame, error.problems), typed: {} })
  }
  res.redirect(303, `${addressOf({ kind: asked.target.entity, id: asked.target.id })}#screening-title`)
}
