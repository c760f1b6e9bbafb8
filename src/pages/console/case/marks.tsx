/** Component: the buttons that accept or flag a field or document, and the form for a flag. */
import type { ComponentChildren } from 'preact'
import { FINDING_CODES } from '../../../domain/decision/decision.ts'
import { type MarkPlace, markKey, type ReviewMark, readMarkKey } from '../../../domain/review/review-mark.ts'
import { Button, PlainButton } from '../../components/button.tsx'
import { Glyph, Icon } from '../../components/icon.tsx'
import type { ConsoleVisit } from '../base/visit.ts'
import { wordOf } from '../base/words.ts'
import type { TypedFinding } from './finding.tsx'
import type { CaseTab } from './tabs.ts'

/** The operator's marks on the case, and the state of the page that the forms return to. */
export interface Marks {
  readonly visit: ConsoleVisit
  /** The path of the case's page. */
  readonly base: string
  readonly tab: CaseTab
  readonly document: string | null
  /** The current marks, keyed by field or document. */
  readonly byKey: ReadonlyMap<string, ReviewMark>
  /** True if the case can be decided. */
  readonly canMark: boolean
  /** Returns whether the decision accepts a finding at the place. */
  readonly canFlag: (place: MarkPlace) => boolean
  readonly canAccept: (place: MarkPlace) => boolean
  /** The key in the address of the field to flag, or null. */
  readonly flagging: string | null
}

/** The ID of the form that the buttons of all rows submit. */
const MARKS_FORM = 'marks'

export const findingsOfMarks = ({ byKey }: Marks): TypedFinding[] =>
  [...byKey.values()].flatMap(({ path, fileId, code, comment }) =>
    code === null ? [] : [{ path, code, ...(fileId && { file_id: fileId }), ...(comment && { comment }) }],
  )

/** Renders the form that all buttons submit, and the form for a flag, which a script copies into a row. */
export function MarkForms({ marks }: { readonly marks: Marks }) {
  if (!marks.canMark) return null
  return (
    <>
      <form method="post" id={MARKS_FORM} action={`${marks.base}/marks`} data-marks>
        <Common marks={marks} />
      </form>
      <template id="flag-form">
        <FlagForm marks={marks} place={{ path: '{key}', fileId: null }} label="{label}" mark={undefined} />
      </template>
    </>
  )
}

const Common = ({ marks: { visit, tab, document } }: { readonly marks: Marks }) => (
  <>
    <input type="hidden" name="_csrf" value={visit.csrf} />
    <input type="hidden" name="tab" value={tab} />
    {document ? <input type="hidden" name="document" value={document} /> : null}
  </>
)

interface MarkRowProps {
  readonly marks: Marks
  /** Distinguishes rows of the same field in different panes. */
  readonly scope: string
  readonly place: MarkPlace
  readonly label: string
  /** False if there is no value to accept. */
  readonly canAccept?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}

/** Renders a field or document with its flag. In a list of fields, it contains `dt` and `dd`. */
export function MarkRow(props: MarkRowProps) {
  const { marks, scope, place, label, class: more = '', children } = props
  const key = markKey(place)
  const mark = marks.byKey.get(key)
  const id = `${scope}-${key}`
  const state = mark === undefined ? '' : mark.code === null ? 'is-accepted' : 'is-flagged'
  return (
    <div
      id={id}
      class={`mark-row ${state} ${more}`.trim()}
      data-fresh
      {...(marks.canMark &&
        marks.canFlag(place) && {
          'data-mark': key,
          'data-label': label,
          'data-code': mark?.code ?? undefined,
          'data-comment': mark?.comment ?? undefined,
        })}
    >
      {children}
    </div>
  )
}

interface MarkKeysProps extends Omit<MarkRowProps, 'children'> {
  /** The labels of the buttons, if they answer a question. */
  readonly words?: { readonly accept: string; readonly flag: string }
}

/** Renders the buttons, the comment of a flag and the open form at the end of a row. */
export function MarkKeys(props: MarkKeysProps) {
  const { marks, scope, place, label, canAccept = true, words } = props
  const { frame } = marks.visit
  const { t } = frame
  const key = markKey(place)
  const mark = marks.byKey.get(key)
  const canFlag = marks.canMark && marks.canFlag(place)
  const isAccepted = mark?.code === null
  const isFlagged = mark !== undefined && !isAccepted
  const isOpen = marks.flagging === key
  const look = words ? 'button button-secondary' : 'mark-key'
  const state = isAccepted ? 'is-accepted' : isFlagged ? 'is-flagged' : ''
  const said = isFlagged ? [wordOf(frame, 'console.finding', mark.code ?? ''), mark.comment] : []
  const address = new URLSearchParams({
    tab: marks.tab,
    ...(marks.document && { document: marks.document }),
    flag: key,
  })
  return (
    <>
      {isFlagged && !isOpen ? (
        <div class="small lines tone-warning">{said.filter(Boolean).join(': ')}</div>
      ) : null}
      {canFlag ? (
        <span class={`mark-keys ${state}`.trim()}>
          {canAccept && marks.canAccept(place) ? (
            <PlainButton
              form={MARKS_FORM}
              name={isAccepted ? 'clear' : 'accept'}
              value={key}
              class={`${look} mark-accept`}
              aria-pressed={isAccepted}
              title={t('console.mark.accept')}
            >
              <Icon name="check" />
              {words?.accept}
              <span class="unseen">
                {t('console.mark.accept')}: {label}
              </span>
            </PlainButton>
          ) : null}
          <a
            href={`${marks.base}?${address}#${encodeURIComponent(`${scope}-${key}`)}`}
            class={`${look} mark-flag`}
            data-flag
            title={t('console.mark.flag')}
          >
            <Icon name={words ? 'x' : 'flag'} />
            {words?.flag}
            <span class="unseen">
              {t('console.mark.flag')}: {label}
            </span>
          </a>
        </span>
      ) : mark ? (
        <span class={`mark-keys mark-state ${state}`}>
          <Glyph
            state={isFlagged ? 'warning' : 'done'}
            label={t(isFlagged ? 'console.mark.flagged' : 'console.mark.accepted')}
          />
        </span>
      ) : null}
      {canFlag && isOpen ? <FlagForm marks={marks} place={place} label={label} mark={mark} /> : null}
    </>
  )
}

interface FlagFormProps {
  readonly marks: Marks
  readonly place: MarkPlace
  readonly label: string
  readonly mark: ReviewMark | undefined
}

function FlagForm({ marks, place, label, mark }: FlagFormProps) {
  const { t } = marks.visit.frame
  const key = markKey(place)
  const chosen = mark?.code ?? (place.fileId === null ? 'mismatch' : 'unreadable')
  return (
    <form method="post" action={`${marks.base}/marks`} class="field flag-form" data-marks data-unsent>
      <Common marks={marks} />
      <input type="hidden" name="flag" value={key} />
      <select name="code" aria-label={t('console.finding.code', { label })}>
        {FINDING_CODES.map((code) => (
          <option key={code} value={code} selected={code === chosen}>
            {t(`console.finding.${code}`)}
          </option>
        ))}
      </select>
      <textarea
        name="comment"
        rows={2}
        maxLength={2_000}
        aria-label={t('console.finding.comment', { label })}
        placeholder={t('console.finding.placeholder')}
      >
        {mark?.comment}
      </textarea>
      <p class="actions">
        <Button kind="secondary">{t('console.mark.save')}</Button>
        <Button kind="link" name="clear" value={key}>
          {t('console.mark.clear')}
        </Button>
      </p>
    </form>
  )
}

interface RestProps {
  readonly marks: Marks
  readonly id: string
  readonly keys: readonly string[]
}

export const MarkCount = ({ marks, id, keys }: RestProps) =>
  marks.canMark && keys.length > 0 ? (
    <span class="quiet small" id={id} data-fresh>
      {marks.visit.frame.t('console.mark.count', {
        count: keys.filter((key) => marks.byKey.has(key)).length,
        total: keys.length,
      })}
    </span>
  ) : null

/** Accepts all rows of a list that have no mark. Names the keyboard shortcuts for its rows. */
export function AcceptFoot({
  hasDocuments = false,
  ...rest
}: RestProps & { readonly hasDocuments?: boolean }) {
  const { marks, keys } = rest
  const { t } = marks.visit.frame
  if (!marks.canMark || keys.length === 0) return null
  return (
    <div class="proof-foot screen-only">
      <AcceptRest {...rest} />
      <p class="quiet small proof-keys" aria-hidden="true">
        <span>
          <kbd>A</kbd> {t('console.mark.accept')}
        </span>
        <span>
          <kbd>F</kbd> {t('console.mark.flag')}
        </span>
        {hasDocuments ? (
          <span>
            <kbd>[</kbd> <kbd>]</kbd> {t('console.viewer')}
          </span>
        ) : null}
      </p>
    </div>
  )
}

function AcceptRest({ marks, id, keys }: RestProps) {
  const rest = keys.filter((key) => !marks.byKey.has(key) && marks.canAccept(readMarkKey(key)))
  return (
    <div id={id} data-fresh>
      {rest.length > 0 ? (
        <Button kind="secondary" icon="check-check" form={MARKS_FORM} name="accept" value={rest.join(' ')}>
          {marks.visit.frame.t(rest.length < keys.length ? 'console.mark.rest' : 'console.mark.all', {
            count: rest.length,
          })}
        </Button>
      ) : null}
    </div>
  )
}
