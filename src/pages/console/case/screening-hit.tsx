/** Component: one screening hit, compared with the entered data, with a form to decide on it. */
import type { ComponentChildren } from 'preact'
import { unixSeconds } from '../../../domain/base/unix-time.ts'
import { compareHit, type Likeness } from '../../../domain/screening/comparison.ts'
import type { Hit as FoundHit } from '../../../domain/screening/hit.ts'
import { HIT_DECISIONS } from '../../../domain/screening/screening.ts'
import { Button } from '../../components/button.tsx'
import { Chip, type Tone } from '../../components/chip.tsx'
import { textOf } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { Flag, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { Ring } from '../../components/progress.tsx'
import { capital, wordOf } from '../base/words.ts'
import { nameOf } from './timeline.tsx'
import type { CaseView } from './view.tsx'

export interface HitProps extends Pick<CaseView, 'visit' | 'mayDecide' | 'timeline' | 'typed'> {
  readonly hit: FoundHit
}

/** Returns a score, or with the sign a part of it, in points. A percentage would look like a probability. */
export const scoreText = ({ language }: Frame, score: number, signDisplay?: 'exceptZero'): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 0, signDisplay })
    .format(score * 100)
    .replace('-', '−')

export function Hit({ visit, mayDecide, hit, timeline: { emails }, typed }: HitProps) {
  const { frame } = visit
  const { t } = frame
  const { entry, score, status } = hit
  const note = (
    actor: string,
    mine: 'console.hit.proposed.mine' | null,
    other: 'console.hit.proposed' | 'console.hit.by',
  ) => (
    <p class="quiet">
      {mine && actor === visit.actor ? t(mine) : t(other, { who: nameOf(frame, emails, actor) })}
    </p>
  )
  return (
    <article class="hit" aria-labelledby="screening-title">
      <div class="hit-head">
        <span class={status === 'dismissed' ? 'hit-score' : 'hit-score tone-danger'}>
          <Ring share={score} size={72} width={5} />
          <span class="hit-points">
            {t('console.hit.score')} <strong>{scoreText(frame, score)}</strong>
          </span>
        </span>
        <div>
          <p class="actions">
            {entry.topics.map((topic) => (
              <Chip key={topic} tone="danger" icon="landmark">
                {wordOf(frame, 'console.topic', topic)}
              </Chip>
            ))}
            <span class="quiet">
              {[...entry.datasets.map(listName), t('console.hit.entry', { id: entry.id })].join(' · ')}
            </span>
          </p>
          <h2 id="screening-title">{t('console.hit.question', { name: entry.caption })}</h2>
          {hit.dismissalBy === null
            ? null
            : note(hit.dismissalBy, 'console.hit.proposed.mine', 'console.hit.proposed')}
          {status === 'open' ? null : note(hit.decidedBy ?? '', null, 'console.hit.by')}
        </div>
      </div>
      <Compared frame={frame} hit={hit} />
      <Parts frame={frame} hit={hit} />
      {hit.comment ? <p class="comment">{hit.comment}</p> : null}
      {mayDecide ? (
        <PostForm
          visit={visit}
          action={`/console/screening_hits/${hit.id}/decision`}
          class={status === 'open' ? 'hit-form hit-open screen-only' : 'hit-form screen-only'}
          data-unsent
        >
          {/* The times show whether the hit has changed since the page was loaded. */}
          <input type="hidden" name="found_at" value={unixSeconds(hit.foundAt)} />
          <input type="hidden" name="decided_at" value={hit.decidedAt ? unixSeconds(hit.decidedAt) : ''} />
          <div class="field">
            <label for={`hit-${hit.id}`}>
              {t('console.internal')} <span class="optional">{t('page.optional')}</span>
            </label>
            <p class="hint" id="hit-hint">
              {t('console.hit.note')}
            </p>
            <textarea
              id={`hit-${hit.id}`}
              name="comment"
              rows={2}
              maxLength={5_000}
              aria-describedby="hit-hint"
            >
              {typed.hit?.id === hit.id ? typed.hit.comment : null}
            </textarea>
          </div>
          <p class="actions">
            {[...HIT_DECISIONS].reverse().map((outcome) => (
              <Button key={outcome} kind="secondary" name="outcome" value={outcome}>
                {t(`console.hit.${outcome}.do`)}
              </Button>
            ))}
          </p>
          <p class="hint">{t(status === 'dismissed' ? 'console.hit.effect' : 'console.hit.effect.high')}</p>
        </PostForm>
      ) : null}
    </article>
  )
}

/** Returns the name of a list from its code, such as “Invented sanctions”. Short words are abbreviations. */
const listName = (code: string): string =>
  code
    .split('_')
    .map((word, at) => (word.length < 5 ? word.toUpperCase() : at === 0 ? capital('en', word) : word))
    .join(' ')

const LIKENESS: Readonly<Record<Likeness, readonly [Tone, IconName]>> = {
  same: ['success', 'check'],
  close: ['warning', 'equal-approximately'],
  differs: ['neutral', 'x'],
  unknown: ['neutral', 'minus'],
}

function Compared({ frame, frame: { t }, hit }: { frame: Frame; hit: FoundHit }) {
  const { subject: own, entry } = hit
  const likeness = compareHit(hit)
  // Some list entries contain only the year of birth.
  const days = (dates: readonly string[]) =>
    dates.map((date) => (/^\d{4}-\d\d-\d\d$/.test(date) ? textOf(frame, 'date', date) : date))
  const countries = (codes: readonly string[]) =>
    codes.map((code) => (
      <span key={code}>
        <Flag country={code.toUpperCase()} />
        {textOf(frame, 'country', code.toUpperCase())}
      </span>
    ))
  const [name, ...others] = [...entry.names, ...entry.weakNames]
  const listed = [
    name,
    others.length > 0 ? (
      <span class="quiet">{t('console.hit.otherNames', { names: others.join(', ') })}</span>
    ) : null,
  ].filter(Boolean)
  const rows: readonly (readonly [keyof typeof likeness, Shown, Shown])[] = [
    ['names', own.names, listed],
    ['born', days(own.birthDate ? [own.birthDate] : []), days(entry.birthDates)],
    ['countries', countries(own.countries), countries(entry.countries)],
    ['number', own.registrationNumber ? [own.registrationNumber] : [], entry.registrationNumbers],
  ]
  const heads = { own: t('console.hit.entered'), listed: t('console.hit.listed') }
  return (
    <table class="data-table data-table-stacked hit-table">
      <thead>
        <tr>
          <td />
          <th scope="col">{heads.own}</th>
          <th scope="col">{heads.listed}</th>
          <th scope="col">
            <span class="unseen">{t('console.hit.compared')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(([, left, right]) => left.length + right.length > 0)
          .map(([row, left, right]) => {
            const [tone, icon] = LIKENESS[likeness[row]]
            return (
              <tr key={row}>
                <th scope="row">{t(`console.hit.${row}`)}</th>
                <Values label={heads.own} values={left} none={t('console.hit.unknown')} />
                <Values label={heads.listed} values={right} none={t('console.hit.unknown')} />
                <td>
                  <Chip tone={tone} icon={icon}>
                    {t(`console.hit.${likeness[row]}`)}
                  </Chip>
                </td>
              </tr>
            )
          })}
      </tbody>
    </table>
  )
}

type Shown = readonly ComponentChildren[]

const Values = ({ label, values, none }: { label: string; values: Shown; none: string }) => (
  <td data-label={label}>
    {values.length === 0 ? (
      <span class="quiet">{none}</span>
    ) : (
      <ul class="list">
        {values.map((value, n) => (
          <li key={n}>{value}</li>
        ))}
      </ul>
    )}
  </td>
)

function Parts({ frame, hit: { parts, score } }: { frame: Frame; hit: FoundHit }) {
  const inWords = (name: string, detail: string) =>
    name === 'country_differs'
      ? detail.replace(/\b[a-z]{2}\b/g, (code) => textOf(frame, 'country', code.toUpperCase()))
      : detail.replace(/\b\d{4}-\d\d-\d\d\b/g, (day) => textOf(frame, 'date', day))
  return (
    <div class="hit-parts small">
      <h3 class="quiet small">{frame.t('console.hit.parts', { score: scoreText(frame, score) })}</h3>
      <ul class="list">
        {parts.map(({ name, score: part, detail }) => (
          <li key={name}>
            {wordOf(frame, 'console.part', name)} <strong>{scoreText(frame, part, 'exceptZero')}</strong>
            {detail ? <span class="quiet"> {inWords(name, detail)}</span> : null}
          </li>
        ))}
      </ul>
    </div>
  )
}
