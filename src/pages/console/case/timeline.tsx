/** Component: the timeline of a case, newest entry first. */
import type { Request } from 'express'
import type { ComponentChildren } from 'preact'
import { peopleIn } from '../../../domain/access/audit.ts'
import {
  dayOf,
  groupHistory,
  type HistoryItem,
  isView,
  kindOf,
  onlySavesOf,
  secondApprovalsIn,
  type TimelineEntry,
} from '../../../domain/decision/timeline.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import { OUTCOME_OF_ACTION } from '../../../domain/review/figures.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { MAX_EXPORTED_ENTRIES } from '../../../use-cases/access/audit.ts'
import { listEmails } from '../../../use-cases/access/names.ts'
import { readRecentTimeline } from '../../../use-cases/case/timeline.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip, type Tone } from '../../components/chip.tsx'
import { Avatar, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { inShort } from '../../components/values.tsx'
import { isTextName } from '../../texts/index.ts'
import { dayText } from '../../values/dates.ts'
import type { Sent } from '../../values/form-values.ts'
import { LinkFilter, queryText } from '../base/filter-bar.tsx'
import { TraceId } from '../base/trace-id.tsx'
import { labelOf, momentOf, timeText, wordOf } from '../base/words.ts'
import { Names } from './needs.tsx'
import { type CaseTab, tabPath } from './tabs.ts'

/** The number of entries that are visible before the operator expands the list. */
const IN_SIGHT = 8
/** The maximum number of entries on the page. The API returns all entries. */
const ON_PAGE = 200
const LONG_TEXT = 240
/** The maximum number of changed fields and files that an entry lists at first. */
const MAX_NAMES = 3

/** The tabs that show the current values of the sections, because the timeline records none. */
const TAB_OF_SECTION = {
  nature_of_business: 'company',
  usage_of_account: 'company',
  beneficiaries: 'owners',
  business_files: 'documents',
} as const satisfies Record<string, CaseTab>
type Section = keyof typeof TAB_OF_SECTION

/** The parts of a timeline. Each entry is in one part. */
const PARTS = ['decisions', 'changes', 'views'] as const
type TimelinePart = (typeof PARTS)[number]

const partOf = (entry: TimelineEntry): TimelinePart =>
  isDecision(entry.action) ? 'decisions' : isView(entry) ? 'views' : 'changes'

/** The icons of entries that are neither decisions, views nor saves, keyed by the type of actor. */
const ACTOR_ICONS: Readonly<Record<string, IconName>> = {
  applicant: 'user',
  user: 'user',
  api_key: 'user',
  operator: 'user-check',
}

const OUTCOMES = {
  approved: ['badge-check', 'success'],
  rejected: ['ban', 'danger'],
  more_asked: ['undo-2', 'warning'],
  attention: ['circle-alert', 'warning'],
} as const satisfies Record<string, readonly [IconName, Tone]>

/** The icons of the actions that decide about the case or a hit, or are part of a second approval. */
const DECISION_ICONS: Readonly<Record<string, IconName>> = {
  ...Object.fromEntries(
    Object.entries(OUTCOME_OF_ACTION).map(([action, outcome]) => [action, OUTCOMES[outcome][0]]),
  ),
  confirm: 'users',
  withdraw: 'users',
  screening_hit_confirmed: 'badge-check',
  screening_hit_dismissed: 'badge-check',
  screening_hit_dismissal_proposed: 'badge-check',
}

/** The proposed dismissal of a hit is an action of its own. */
const TURN = /(?<!_dismissal)_(proposed|withdrawn|dropped|without_effect)$/

const decisionIcon = (action: string): IconName | undefined => DECISION_ICONS[action.replace(TURN, '')]

/** Returns the tone of the icon and of the edge of an entry, by its outcome. */
function toneOf(action: string): Tone {
  const outcome = OUTCOME_OF_ACTION[action.replace(TURN, '')]
  return outcome ? OUTCOMES[outcome][1] : isDecision(action) ? 'info' : 'neutral'
}

const isDecision = (action: string): boolean => decisionIcon(action) !== undefined

interface Step {
  /** The actor of the confirmation. */
  readonly confirmedBy?: string
  /** The reason of the proposal. Its own entry has none, so that the second operator decides independently. */
  readonly reasonCode?: string | null
}

/** Returns the data that the entries of a second approval take from each other, keyed by the entry. */
function stepsIn(entries: readonly TimelineEntry[]): ReadonlyMap<number, Step> {
  const known = new Map<number, Step>()
  for (const [decision, [confirmation, proposal]] of secondApprovalsIn(entries.toReversed())) {
    known.set(decision.id, { confirmedBy: confirmation.actor })
    if (proposal) known.set(proposal.id, { reasonCode: decision.reasonCode })
  }
  return known
}

/** The filter in the address: a part of the timeline, an actor and a day. */
type HistoryFilter = Readonly<Partial<Record<'show' | 'who' | 'day', string | undefined>>>

export const readHistoryFilter = ({ query }: Request): HistoryFilter =>
  Object.fromEntries(['show', 'who', 'day'].map((name) => [name, String(query[name])]))

interface FileShown {
  readonly id: string
  readonly name: string
}

interface TimelineShown {
  readonly entries: readonly TimelineEntry[]
  /** The emails of operators and of clients' users, keyed by user ID. */
  readonly emails: ReadonlyMap<string, string>
  /** The names of the existing files, keyed by ID. */
  readonly files: ReadonlyMap<string, string>
}

/** Returns the entries, with the emails of their actors and of the actors in `named`. */
export async function findTimeline(
  deps: RouteDeps,
  target: EntityRef,
  named: readonly (string | null | undefined)[],
  files: readonly FileShown[],
): Promise<TimelineShown> {
  const entries = await readRecentTimeline(deps, target, ON_PAGE)
  return {
    entries,
    emails: await listEmails(deps, peopleIn([...entries.map(({ actor }) => actor), ...named])),
    files: new Map(files.map((file) => [file.id, file.name])),
  }
}

/** Returns the actor's email, or the type of actor if there is no email. */
export function nameOf(frame: Frame, emails: TimelineShown['emails'], actor: string): string {
  const [kind = '', id = ''] = actor.split(':')
  return emails.get(id) ?? wordOf(frame, 'console.actor', kind)
}

interface EntriesProps extends TimelineShown {
  readonly frame: Frame
  /** The ID of the newest entry that the operator saw before a form was refused. The timeline marks later entries. */
  readonly since: number | null
}

/** The value of each field at the latest decision and now, keyed by path, for fields whose value has changed. */
export type ChangedValues = ReadonlyMap<string, readonly [before: string, after: string]>

interface TimelineProps extends EntriesProps {
  readonly base: string
  readonly filter: HistoryFilter
  readonly changed: ChangedValues
  readonly mayNote: boolean
}

export function Timeline(props: TimelineProps) {
  const { frame, base, filter, entries, since, changed, mayNote, ...names } = props
  const { t } = frame
  const saves = onlySavesOf(entries, (action) => Object.hasOwn(OUTCOME_OF_ACTION, action))
  const valuesOf: EntryProps['valuesOf'] = (path, { id }) =>
    saves.get(path) === id ? changed.get(path) : undefined
  const known = { ...names, base, valuesOf, approvals: stepsIn(entries) }
  const history = groupHistory(entries.toReversed())
  const whoOf = ({ actor }: TimelineEntry) =>
    names.emails.has(actor.split(':')[1] ?? '') ? actor : (actor.split(':')[0] ?? '')
  const days = [...new Set(history.map(({ entries: [newest] }) => dayOf(newest)))]
  const people = [...new Set(entries.map(whoOf))]
  // Values that the timeline does not contain have no effect.
  const show = PARTS.find((part) => part === filter.show)
  const who = people.find((person) => person === filter.who)
  const day = days.find((each) => each === filter.day)
  const all = history.filter(
    ({ entries: steps }) =>
      (day === undefined || dayOf(steps[0]) === day) &&
      (who === undefined || steps.some((step) => whoOf(step) === who)),
  )
  const of = (part: TimelinePart | undefined) =>
    part === undefined ? all : all.filter(({ entries: [newest] }) => partOf(newest) === part)
  const items = of(show)
  const href = tabPath(base, 'history')
  const hrefOf = (change: HistoryFilter) =>
    `${[href, queryText({ show, who, day, ...change })].filter(Boolean).join('&')}#timeline-title`
  const shown = (list: readonly HistoryItem[]) =>
    [...new Set(list.map(({ entries: [newest] }) => dayOf(newest)))].map((day) => (
      <section key={day}>
        <h3 class="small">{dayText(frame, new Date(day))}</h3>
        <ol class="list trail">
          {list
            .filter(({ entries: [newest] }) => dayOf(newest) === day)
            .map((item) => (
              <Item key={item.entries[0].id} frame={frame} item={item} since={since} {...known} />
            ))}
        </ol>
      </section>
    ))
  return (
    <section aria-labelledby="timeline-title">
      <div class="page-head">
        <h2 id="timeline-title">{t('console.timeline')}</h2>
        <span class="quiet small">{t('settings.utc')}</span>
        <span class="page-head-end">
          {mayNote ? (
            <ButtonLink kind="secondary" icon="plus" href={`${href}#text`}>
              {t('console.internal')}
            </ButtonLink>
          ) : null}
          <ButtonLink
            kind="secondary"
            icon="download"
            href={`${base}/timeline.csv`}
            title={t('console.timeline.csv', { count: MAX_EXPORTED_ENTRIES })}
            download
          >
            {t('console.cases.csv')}
          </ButtonLink>
        </span>
      </div>
      <nav class="actions" aria-label={t('console.filters')}>
        {[undefined, ...PARTS].map((part) =>
          part === show || of(part).length > 0 ? (
            <ButtonLink
              key={part}
              kind="secondary"
              href={hrefOf({ show: part })}
              {...(part === show && { 'aria-current': 'page' })}
            >
              {t(part === undefined ? 'console.filter.all' : `console.timeline.part.${part}`)}{' '}
              <span class="number">{of(part).length}</span>
            </ButtonLink>
          ) : null,
        )}
        <LinkFilter
          frame={frame}
          look="button button-secondary"
          label={t('console.filter.person')}
          chosen={who}
          options={people.length < 2 ? [] : people.map((each) => [each, nameOf(frame, names.emails, each)])}
          hrefOf={(person) => hrefOf({ who: person })}
        />
        <LinkFilter
          frame={frame}
          look="button button-secondary"
          label={t('console.filter.day')}
          chosen={day}
          options={days.length < 2 ? [] : days.map((each) => [each, dayText(frame, new Date(each))])}
          hrefOf={(other) => hrefOf({ day: other })}
        />
      </nav>
      {shown(items.slice(0, IN_SIGHT))}
      {items.length > IN_SIGHT ? (
        <details>
          <summary>{t('console.timeline.more', { count: items.length - IN_SIGHT })}</summary>
          {shown(items.slice(IN_SIGHT))}
        </details>
      ) : null}
      {entries.length === ON_PAGE ? (
        <p class="quiet">{t('console.timeline.newest', { count: ON_PAGE })}</p>
      ) : null}
    </section>
  )
}

interface ItemProps
  extends Omit<EntriesProps, 'entries'>,
    Pick<EntryProps, 'base' | 'approvals' | 'valuesOf'> {
  readonly item: HistoryItem
}

const KIND_ICONS = { views: 'eye', saves: 'pencil' } as const satisfies Record<string, IconName>

/** Shows an entry, which unfolds if it consists of several views, several saves or the steps of a second approval. */
function Item({ frame, frame: { t }, item: { kind, entries }, since, ...known }: ItemProps) {
  const [newest, ...others] = entries
  const oldest = entries.at(-1) ?? newest
  const entryOf = (entry: TimelineEntry, place: EntryProps['place'], steps?: ComponentChildren) => (
    <Entry key={entry.id} {...{ frame, entry, place, steps, ...known }} isNew={isSince(entry, since)} />
  )
  if (kind === 'entry' || others.length === 0) {
    const steps = others.map((each) => entryOf(each, dayOf(each) === dayOf(newest) ? 'group' : 'notice'))
    return entryOf(
      newest,
      'day',
      steps.length > 0 ? (
        <details>
          <summary>{t('console.timeline.steps')}</summary>
          <ol class="card rows">{steps}</ol>
        </details>
      ) : null,
    )
  }
  const name = nameOf(frame, known.emails, newest.actor)
  return (
    <li>
      <time class="quiet small" dateTime={oldest.createdAt.toISOString()}>
        {[...new Set([oldest, newest].map(({ createdAt }) => timeText(frame, createdAt)))].join('–')}
      </time>{' '}
      <Chip icon={KIND_ICONS[kind]} />
      <div>
        <strong>{t(`console.timeline.${kind}`, { who: name, count: entries.length })}</strong>
        <details {...(kind === 'views' && { class: 'screen-only' })}>
          <summary>{t(`console.timeline.${kind}.show`)}</summary>
          <ol class="card rows">{entries.map((entry) => entryOf(entry, 'group'))}</ol>
        </details>
      </div>
    </li>
  )
}

const isSince = ({ id }: TimelineEntry, since: number | null): boolean => since !== null && id > since

interface EntryProps {
  readonly frame: Frame
  readonly entry: TimelineEntry
  readonly emails: TimelineShown['emails']
  readonly files: TimelineShown['files']
  readonly approvals: ReturnType<typeof stepsIn>
  readonly isNew: boolean
  readonly base: string
  /** Returns the values of a field before and after the entry, if both are stored. */
  readonly valuesOf?:
    | ((path: string, entry: TimelineEntry) => readonly [string, string] | undefined)
    | undefined
  /** The list that contains the entry. The entries of a day have icons. Only notices state the day of each entry. */
  readonly place: 'day' | 'group' | 'notice'
  /** The steps of the second approval. */
  readonly steps?: ComponentChildren
}

function Entry(props: EntryProps) {
  const { frame, entry, emails, files, approvals, isNew, base, place, valuesOf, steps } = props
  const { t } = frame
  const { action, actor, createdAt, clientComment, internalNote } = entry
  const { confirmedBy: confirming, reasonCode = entry.reasonCode } = approvals.get(entry.id) ?? {}
  const kind = kindOf(entry)
  const [actorType = ''] = actor.split(':')
  const tone = toneOf(action)
  const code = reasonCode && wordOf(frame, 'console.reason', reasonCode)
  // The reason of the second operator does not apply to the decision.
  const reason = code && action === 'confirm' ? t('console.timeline.own', { reason: code }) : code
  const isCard = place === 'day' && isDecision(action)
  const name = nameOf(frame, emails, actor)
  const head = isView(entry) ? (
    <strong>{t(`console.action.${action as 'case_read' | 'file_read'}`, { who: name })}</strong>
  ) : (
    <>
      <strong>{actionText(frame, action)}</strong>{' '}
      {confirming === undefined ? (
        <Actor {...{ frame, emails, actor }} hasAvatar={isCard} />
      ) : (
        <span class="quiet">
          {t('console.timeline.both', {
            first: name,
            second: nameOf(frame, emails, confirming),
          })}
        </span>
      )}{' '}
    </>
  )
  return (
    <li data-action={action}>
      <time class="quiet small" dateTime={createdAt.toISOString()}>
        {place === 'notice' ? momentOf(frame, createdAt) : timeText(frame, createdAt)}
      </time>{' '}
      {place === 'day' ? (
        <Chip
          tone={tone}
          icon={
            kind === 'entry' ? (decisionIcon(action) ?? ACTOR_ICONS[actorType] ?? 'cpu') : KIND_ICONS[kind]
          }
        />
      ) : null}
      <div {...(isCard && { class: `card decided tone-${tone}` })}>
        {isCard ? <p class="spread">{head}</p> : head}
        {isNew ? <Chip tone="accent">{t('console.timeline.new')}</Chip> : null}
        <ChangedPaths {...{ frame, entry, files, base, valuesOf }} />
        <Said text={[reason, clientComment].filter(Boolean).join(': ')} />
        <Said
          text={internalNote}
          caption={action === 'note' ? undefined : t('console.internal')}
          isInternal
        />
        <TraceId frame={frame} id={entry.traceId} />
        {steps}
      </div>
    </li>
  )
}

function Actor(props: Pick<EntryProps, 'frame' | 'emails'> & { actor: string; hasAvatar?: boolean }) {
  const { frame, emails, actor, hasAvatar = false } = props
  const name = nameOf(frame, emails, actor)
  return (
    <span class="quiet">
      {hasAvatar ? <Avatar name={name} isSmall isColoured /> : '·'} {name}
    </span>
  )
}

type ChangedPathsProps = Pick<EntryProps, 'frame' | 'entry' | 'files' | 'base' | 'valuesOf'>

/** Names the changed fields and files. Many of them are folded, by section. Paper has only their number. */
function ChangedPaths({ frame: { t }, entry, files, base, valuesOf }: ChangedPathsProps) {
  const labels = entry.fields.map((path) => {
    const [section = '', list, person, field] = path.split('.')
    const name =
      person === undefined
        ? labelOf(t, list ?? path)
        : [t('console.timeline.person'), field && labelOf(t, field)].filter(Boolean).join(': ')
    return { section, name, values: valuesOf?.(path, entry) }
  })
  const names = entry.files.map((id) => files.get(id) ?? t('console.timeline.gone'))
  const all = [...labels, ...names.map((name) => ({ section: 'business_files', name, values: undefined }))]
  const bySection = new Map<Section | null, Map<string, ComponentChildren>>()
  for (const { section, name, values } of all) {
    const key = Object.hasOwn(TAB_OF_SECTION, section) ? (section as Section) : null
    const named = bySection.get(key) ?? new Map<string, ComponentChildren>()
    bySection.set(key, named.set(values ? `${name}: ${values.join()}` : name, nameWith(name, values)))
  }
  const sections = [...bySection].map(([section, named]) => [section, [...named.values()]] as const)
  const count = sections.reduce((sum, [, list]) => sum + list.length, 0)
  if (count === 0) return null
  if (count <= MAX_NAMES)
    return (
      <div class="quiet">
        {all.some(({ values }) => values) ? (
          <Names names={sections.flatMap(([, list]) => list)} />
        ) : (
          sections.flatMap(([, list]) => list).join(', ')
        )}
      </div>
    )
  return (
    <>
      <details class="quiet screen-only">
        <summary>{t('console.timeline.fields', { count })}</summary>
        {sections.map(([section, list]) => (
          <div key={section}>
            {section === null ? null : (
              <p>
                <a href={tabPath(base, TAB_OF_SECTION[section])}>{t(`section.${section}`)}</a>{' '}
                <span class="count">{list.length}</span>
              </p>
            )}
            <Names names={list} />
          </div>
        ))}
      </details>
      <div class="quiet print-only">{t('console.timeline.fields', { count })}</div>
    </>
  )
}

const nameWith = (name: string, values: readonly [string, string] | undefined): ComponentChildren =>
  values ? (
    <>
      {name}: <del>{values[0]}</del> → <ins>{values[1]}</ins>
    </>
  ) : (
    name
  )

/** Returns the text for an action, also for one that was proposed, withdrawn or without effect. */
function actionText(frame: Frame, action: string): string {
  const [, turn] = TURN.exec(action) ?? []
  const made = action.replace(TURN, '')
  const words = wordOf(frame, 'console.action', made)
  if (!turn) return words
  const [proposal, end] = [`console.proposal.${made}`, wordOf(frame, 'console.turn', turn)]
  return isTextName(proposal) ? `${frame.t(proposal)} ${end}` : `${words} (${end})`
}

interface SaidProps {
  readonly text: string | null
  /** Names the text, unless the entry does. */
  readonly caption?: string | undefined
  readonly isInternal?: boolean
}

function Said({ text, caption, isInternal = false }: SaidProps) {
  if (!text) return null
  const said = <p class={isInternal ? 'comment' : 'lines'}>{text}</p>
  return (
    <>
      {caption === undefined ? null : <p class="quiet small">{caption}</p>}
      {text.length <= LONG_TEXT ? (
        said
      ) : (
        <details>
          <summary>{inShort(text, LONG_TEXT)}</summary>
          {said}
        </details>
      )}
    </>
  )
}

/** Lists the changes that other operators made before the form was refused. */
export function Meanwhile({
  frame,
  base,
  entries,
  emails,
  files,
  since,
}: EntriesProps & Pick<EntryProps, 'base'>) {
  const news = entries.filter((entry) => isSince(entry, since) && !isView(entry))
  if (news.length === 0) return null
  const approvals = stepsIn(entries)
  return (
    <div class="notice">
      <h2>{frame.t('console.meanwhile')}</h2>
      <ul>
        {news.map((entry) => (
          <Entry
            key={entry.id}
            {...{ frame, entry, emails, files, base, approvals }}
            isNew={false}
            place="notice"
          />
        ))}
      </ul>
    </div>
  )
}

/** Returns the ID of the newest entry that the operator saw. Returns null if the request does not contain a form. */
export const readUntil = ({ body }: Request): number | null =>
  Number((body as Sent | undefined)?.since) || null

/** Returns the ID of the newest entry, or 0 if there is none. */
export const newestOf = (entries: readonly TimelineEntry[]): number => entries.at(-1)?.id ?? 0
