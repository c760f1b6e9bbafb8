/** One application or identification: what is to be decided on beside what there is to do about it. */
import type { ComponentChildren } from 'preact'
import type { Delivery } from '../../db/delivery.ts'
import type { ReadEntry } from '../../db/timeline.ts'
import { type Correction, REASON_CODES } from '../../domain/decision.ts'
import type { FieldKind } from '../../domain/kyb-fields.ts'
import { correctionText } from '../correction.ts'
import { isEmpty, labelOf, textOf } from '../fields.tsx'
import { PostForm } from '../form.tsx'
import type { FieldProblem, Frame } from '../layout.tsx'
import { Confirmation, type PendingConfirmation } from './confirmation.tsx'
import type { Typed } from './decision.ts'
import { Deliveries } from './deliveries.tsx'
import { DECISION_FORM, Finding, type TypedFinding } from './finding.tsx'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'
import { wordOf } from './words.ts'

export interface CasePageProps {
  readonly visit: ConsoleVisit
  /** Of the page, and before the addresses of its forms. */
  readonly base: string
  readonly title: string
  readonly version: number
  readonly state: readonly (readonly [label: string, value: ComponentChildren])[]
  readonly outcomes: readonly string[]
  /** A decision that waits for a second operator. */
  readonly pending: PendingConfirmation | null
  readonly assignedTo: string | null
  readonly timeline: readonly ReadEntry[]
  readonly deliveries: readonly Delivery[]
  readonly problems?: readonly FieldProblem[]
  readonly typed?: Typed
  /** Forms besides the decision. */
  readonly more?: ComponentChildren
  readonly children: ComponentChildren
}

export function CasePage(props: CasePageProps) {
  const {
    visit,
    base,
    title,
    state,
    outcomes,
    pending,
    assignedTo,
    timeline,
    deliveries,
    problems = [],
  } = props
  const { frame } = visit
  const { t } = frame
  return (
    <Shell visit={visit} title={title} problems={problems}>
      <div class="case">
        <div>{props.children}</div>
        <div class="aside">
          <section class="card" aria-labelledby="state-title">
            <h2 id="state-title">{t('console.state')}</h2>
            <dl>
              {state.map(([label, value]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <Assignment visit={visit} base={base} assignedTo={assignedTo} />
          </section>
          {pending ? <Confirmation {...props} pending={pending} compared={props.typed?.compared} /> : null}
          {outcomes.length > 0 && !pending ? <DecisionForm {...props} /> : null}
          {props.more}
          <section class="card" aria-labelledby="note-title">
            <h2 id="note-title">{t('console.note')}</h2>
            <PostForm visit={visit} action={`${base}/notes`}>
              <label class="unseen" for="text">
                {t('console.note')}
              </label>
              <textarea id="text" name="text" rows={2} required />
              <button type="submit" class="second">
                {t('console.note.add')}
              </button>
            </PostForm>
          </section>
          <Timeline frame={frame} entries={timeline} />
          <Deliveries frame={frame} deliveries={deliveries} />
        </div>
      </div>
    </Shell>
  )
}

function Assignment({ visit, base, assignedTo }: Pick<CasePageProps, 'visit' | 'base' | 'assignedTo'>) {
  const { t } = visit.frame
  const isMine = assignedTo === visit.actor
  return (
    <PostForm visit={visit} action={`${base}/assignment`}>
      <p class="quiet">
        {assignedTo === null
          ? t('console.assigned.nobody')
          : isMine
            ? t('console.assigned.me')
            : t('console.assigned.other', { who: assignedTo })}
      </p>
      <button type="submit" class="quiet" name="assign" value={isMine ? 'no' : 'yes'}>
        {t(isMine ? 'console.release' : assignedTo === null ? 'console.assign' : 'console.takeOver')}
      </button>
    </PostForm>
  )
}

function DecisionForm({ visit, base, version, outcomes, typed = {} }: CasePageProps) {
  const { t } = visit.frame
  return (
    <section class="card" aria-labelledby="decision-title">
      <h2 id="decision-title">{t('console.decide')}</h2>
      <form method="post" id={DECISION_FORM} action={`${base}/decision`}>
        <input type="hidden" name="_csrf" value={visit.csrf} />
        <input type="hidden" name="version" value={version} />
        <fieldset class="field">
          <legend>{t('console.outcome')}</legend>
          <div class="choices">
            {outcomes.map((outcome) => (
              <label key={outcome} class="choice">
                <input
                  type="radio"
                  name="outcome"
                  value={outcome}
                  checked={outcome === typed.outcome}
                  required
                />
                <span>{wordOf(visit.frame, 'console.outcome', outcome)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div class="field">
          <label for="reason_code">{t('console.reason')}</label>
          <select id="reason_code" name="reason_code" required>
            <option value="">{t('page.choose')}</option>
            {REASON_CODES.map((code) => (
              <option key={code} value={code} selected={code === typed.reason_code}>
                {t(`console.reason.${code}`)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="client_comment">
            {t('console.comment')} <span class="quiet">{t('page.optional')}</span>
          </label>
          <p class="hint" id="client_comment-hint">
            {t('console.comment.hint')}
          </p>
          <textarea id="client_comment" name="client_comment" rows={3} aria-describedby="client_comment-hint">
            {typed.client_comment}
          </textarea>
        </div>
        <div class="field">
          <label for="internal_note">
            {t('console.internal')} <span class="quiet">{t('page.optional')}</span>
          </label>
          <textarea id="internal_note" name="internal_note" rows={2}>
            {typed.internal_note}
          </textarea>
        </div>
        <button type="submit">{t('console.decide')}</button>
      </form>
    </section>
  )
}

export interface ShownField {
  readonly field: string
  readonly path: string
  readonly kind: FieldKind
  readonly value: unknown
}

interface FieldsProps {
  readonly frame: Frame
  readonly id: string
  readonly title: string
  readonly fields: readonly ShownField[]
  /** What the last revision asked for and is still to be mended. */
  readonly corrections: readonly Correction[]
  /** Whether a decision can say what is wrong with them. */
  readonly canFind: boolean
  readonly found: readonly TypedFinding[]
}

/** What was entered, each with what is found wrong with it. */
export function Fields({ frame, id, title, fields, corrections, canFind, found }: FieldsProps) {
  const { t } = frame
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <dl>
        {fields.map(({ field, path, kind, value }) => {
          const correction = correctionText(frame, corrections, path)
          const label = labelOf(t, field)
          const findingOf = (fileId?: string, name = label) =>
            canFind ? (
              <Finding
                frame={frame}
                path={path}
                label={name}
                typed={found}
                {...(fileId !== undefined && { fileId })}
              />
            ) : null
          return (
            <div key={path} {...(correction && { class: 'wrong' })}>
              <dt>{label}</dt>
              <dd class="mendable">
                <div>
                  <Value frame={frame} kind={kind} value={value} findingOf={findingOf} />
                  {correction ? <p class="comment">{correction}</p> : null}
                </div>
                {findingOf()}
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}

interface StoredFile {
  readonly id: string
  readonly name: string
  readonly content_type?: string
}

interface ValueProps {
  readonly frame: Frame
  readonly kind: FieldKind
  readonly value: unknown
  readonly findingOf: (fileId: string, name: string) => ComponentChildren
}

function Value({ frame, kind, value, findingOf }: ValueProps) {
  if (isEmpty(value)) return <span class="quiet">{frame.t('check.notGiven')}</span>
  if (kind === 'files')
    return (
      <>
        {(value as readonly StoredFile[]).map((file) => (
          <div key={file.id}>
            <Document {...file} />
            {findingOf(file.id, file.name)}
          </div>
        ))}
      </>
    )
  return <>{textOf(frame, kind, value)}</>
}

/** A picture beside the data that it proves; other documents are opened from here. */
export const Document = ({ id, name, content_type: type = '' }: StoredFile) => (
  <figure class="document">
    {type.startsWith('image/') ? (
      <a href={`/console/files/${id}`} target="_blank" rel="noopener">
        <img class="picture" src={`/console/files/${id}`} alt={name} loading="lazy" />
      </a>
    ) : null}
    <figcaption>
      <a href={`/console/files/${id}`}>{name}</a>
    </figcaption>
  </figure>
)

function Timeline({ frame, entries }: { frame: Frame; entries: readonly ReadEntry[] }) {
  const { t, language } = frame
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <section class="card" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{t('console.timeline')}</h2>
      <ol class="timeline">
        {[...entries].reverse().map((entry) => (
          <li key={`${entry.createdAt.getTime()} ${entry.action} ${entry.actor}`}>
            <time dateTime={entry.createdAt.toISOString()}>{moment.format(entry.createdAt)}</time>{' '}
            <strong>{entry.action}</strong> <span class="quiet">{entry.actor}</span>
            {entry.reasonCode ? <span> {wordOf(frame, 'console.reason', entry.reasonCode)}</span> : null}
            {entry.notes?.client_comment ? <p>{entry.notes.client_comment}</p> : null}
            {entry.notes?.internal_note ? <p class="comment">{entry.notes.internal_note}</p> : null}
          </li>
        ))}
      </ol>
    </section>
  )
}
