/** Component: the table of cases that a vault's own users see. */
import type { ClientCase, Turn } from '../../../domain/review/client-case.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Chip, type Tone } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { RowName } from '../../components/row-name.tsx'
import { shortDayText } from '../../values/dates.ts'
import { sinceText } from '../base/age.ts'
import { seatPath } from '../base/visit.ts'
import { labelOf } from '../base/words.ts'
import { CaseSign, caseTitle, OutcomeCell } from '../lists/queue-cells.tsx'
import { type ClientAsk, canManage } from './ask.ts'

export const CASE_PATHS = { kyb: 'kyb', identification: 'identifications' } as const

interface ClientCasesProps {
  readonly ask: ClientAsk
  readonly cases: readonly ClientCase[]
}

export const ClientCases = ({ ask, ask: { frame, t, seat }, cases }: ClientCasesProps) => (
  <DataTable
    class="queue client-cases"
    isLinked
    rows={cases}
    keyOf={({ id }) => id}
    columns={[
      {
        key: 'what',
        head: t('console.column.what'),
        class: 'what',
        cell: (each) => (
          <RowName
            sign={<CaseSign frame={frame} entry={each} />}
            href={seatPath(seat.id, CASE_PATHS[each.kind], each.id)}
            name={caseTitle(frame, each)}
            notes={[t(`console.client.one.${each.kind}`)]}
          />
        ),
      },
      {
        key: 'missing',
        class: 'missing',
        head: t('console.client.details'),
        cell: (each) => <MissingCell frame={frame} shown={each} />,
      },
      {
        key: 'turn',
        class: 'status',
        head: t('console.client.turn'),
        cell: (each) => <TurnCell ask={ask} shown={each} />,
      },
      {
        key: 'action',
        class: 'act',
        head: t('console.client.link'),
        cell: (each) => linkCell({ ask, shown: each }),
      },
    ]}
  />
)

interface CellProps {
  readonly frame: Frame
  readonly shown: ClientCase
}

const MAX_NAMED = 2

/** Returns the name of the field at the path: `section.field`, or `section.field.person.field of the person`. */
const fieldOf = (path: string): string => {
  const [first = path, field = first, , personField = field] = path.split('.')
  return personField
}

/** Shows the open request for changes, or the first missing details by name and the number of the others. */
function MissingCell({ frame: { t }, shown: { kind, outcome, due, request, turn } }: CellProps) {
  const isAsked = outcome === 'changes_requested' && turn !== null
  const paths = isAsked ? (request?.paths ?? []) : due
  const labels = [...new Set(paths.map((path) => labelOf(t, fieldOf(path))))]
  const more = labels.length - MAX_NAMED
  const named = labels.slice(0, MAX_NAMED).join(', ')
  return (
    <span class="row-text">
      <span>
        {labels.length > 0
          ? t(isAsked ? 'console.client.missing.correct' : 'console.client.missing.named', { labels: named })
          : isAsked
            ? t('console.outcome.state.changes_requested')
            : (turn === 'applicant' || turn === 'client') && kind === 'identification'
              ? t('console.client.notSubmitted')
              : t('console.client.nothing')}
      </span>
      {more > 0 ? <span class="row-note">{t('console.client.more', { count: more })}</span> : null}
      {isAsked && request?.comment ? (
        <span class="row-note client-question">{t('correction.quote', { message: request.comment })}</span>
      ) : null}
    </span>
  )
}

const TURN_LOOKS: Readonly<Record<Turn, { readonly tone: Tone; readonly icon: IconName }>> = {
  client: { tone: 'warning', icon: 'circle-alert' },
  applicant: { tone: 'neutral', icon: 'user' },
  review: { tone: 'info', icon: 'hourglass' },
}

/** Shows whose turn it is. Users who can only read leave the turn of the client to their team. */
export const TurnChip = ({ ask, turn }: { readonly ask: ClientAsk; readonly turn: Turn }) => (
  <Chip {...TURN_LOOKS[turn]}>
    {ask.t(`console.client.turn.${turn === 'client' && !canManage(ask) ? 'team' : turn}`)}
  </Chip>
)

/** Shows whose turn it is and since when, or the outcome. */
function TurnCell({ ask, shown }: LinkCellProps) {
  const { frame } = ask
  const { turn, waitingSince } = shown
  if (turn === null) return <OutcomeCell frame={frame} entry={shown} />
  return (
    <span class="row-text">
      <span>
        <TurnChip ask={ask} turn={turn} />
      </span>
      <span class="row-note">{frame.t('console.client.since', { age: sinceText(frame, waitingSince) })}</span>
    </span>
  )
}

interface LinkCellProps {
  readonly ask: ClientAsk
  readonly shown: ClientCase
}

/** Returns the state of the link or of its email, with the action that follows, or null. */
function linkCell({ ask, shown }: LinkCellProps) {
  const { visit, frame, t, seat } = ask
  const { kind, id, title, turn, outcome, linkExpiresAt, undeliveredAt } = shown
  if (undeliveredAt)
    return (
      <span class="client-link">
        <span class="client-expired">{t('console.client.link.undelivered')}</span>
        {caseLink({ ask, shown, text: t('console.client.link.correct'), part: '#link-title' })}
      </span>
    )
  if (turn === 'client' && outcome === 'changes_requested')
    return caseLink({ ask, shown, text: t('console.client.answer'), part: '#comment-title' })
  if (!linkExpiresAt)
    return kind === 'kyb' && turn === 'applicant'
      ? caseLink({ ask, shown, text: t('console.client.link.renew'), part: '#link-title' })
      : null
  return (
    <span class="client-link">
      <LinkState frame={frame} expiresAt={linkExpiresAt} />
      {/* A new link ends the earlier one, so this case first says so. An expired link has nothing to end. */}
      {linkExpiresAt.getTime() > Date.now() ? (
        caseLink({ ask, shown, text: t('console.client.link.renew'), part: '#link-title' })
      ) : canManage(ask) ? (
        <PostForm visit={visit} action={seatPath(seat.id, CASE_PATHS[kind], id, 'link')}>
          <Button kind="secondary">
            {t('console.client.link.renew')}
            <span class="unseen">: {title ?? id.slice(-6)}</span>
          </Button>
        </PostForm>
      ) : null}
    </span>
  )
}

/** Returns a link to the part of the case in which the user can act, or null for users who can only read. */
const caseLink = ({
  ask,
  shown,
  text,
  part,
}: LinkCellProps & { readonly text: string; readonly part: string }) =>
  canManage(ask) ? (
    <ButtonLink kind="secondary" href={`${seatPath(ask.seat.id, CASE_PATHS[shown.kind], shown.id)}${part}`}>
      {text}
      <span class="unseen">: {shown.title ?? shown.id.slice(-6)}</span>
    </ButtonLink>
  ) : null

const LinkState = ({ frame, expiresAt }: { readonly frame: Frame; readonly expiresAt: Date }) =>
  expiresAt.getTime() < Date.now() ? (
    <span class="client-expired">{frame.t('console.client.link.expired')}</span>
  ) : (
    <span class="quiet">{frame.t('console.client.link.until', { day: shortDayText(frame, expiresAt) })}</span>
  )
