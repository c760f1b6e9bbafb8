/** Component: the summary of a case, with the points that need the operator's attention and the completed checks. */
import type { ComponentChildren } from 'preact'
import type { UnderReview } from '../../domain/review/review.ts'
import { openHitsIn, type ScreeningResult } from '../../domain/screening/hit.ts'
import { Glyph, type GlyphState } from '../components/glyph.tsx'
import { Icon } from '../components/icon.tsx'
import type { Frame } from '../components/layout.tsx'
import { type CaseTab, tabPath } from './case-tabs.ts'
import { wordOf } from './words.ts'

export interface Need {
  readonly key: string
  readonly state: GlyphState
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly href?: string
  /** Details that the operator can expand on the page. */
  readonly more?: ComponentChildren
  /** True if the details are expanded at first. */
  readonly isOpen?: boolean
}

interface NeedsProps {
  readonly frame: Frame
  readonly needs: readonly Need[]
  /** True if the page also shows a decision that awaits a second approval. */
  readonly isPending: boolean
}

export function Needs({ frame: { t }, needs, isPending }: NeedsProps) {
  if (isPending && needs.length === 0) return null
  return (
    <section class="case-part" aria-labelledby="needs-title">
      <div class="case-part-head">
        <h2 id="needs-title">{t('console.needs')}</h2>
        {needs.length > 0 ? (
          <span class="quiet">{t('console.needs.count', { count: needs.length })}</span>
        ) : null}
      </div>
      {needs.length === 0 ? (
        <p class="need-none">
          <Glyph state="done" /> {t('console.needs.none')}
        </p>
      ) : (
        <ul class="card rows">
          {needs.map((need) => (
            <li key={need.key}>
              <NeedRow {...need} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function NeedRow({ state, title, note, href, more, isOpen = false }: Need) {
  const content = (
    <>
      <Glyph state={state} />
      <span class="row-text">
        <span class="row-name">{title}</span>
        {note ? <span class="row-note">{note}</span> : null}
      </span>
      {href || more ? (
        <span class="row-end">
          <Icon name={more ? 'chevron-down' : 'chevron-right'} />
        </span>
      ) : null}
    </>
  )
  if (more)
    return (
      <details class={isOpen ? 'need-shown' : undefined} open={isOpen}>
        <summary class="need">{content}</summary>
        <div class="need-more">{more}</div>
      </details>
    )
  return href ? (
    <a class="need" href={href}>
      {content}
    </a>
  ) : (
    <div class="need">{content}</div>
  )
}

export interface Check {
  readonly name: string
  readonly value: ComponentChildren
  readonly isDone: boolean
}

export const Checked = ({
  frame: { t },
  checks,
}: {
  readonly frame: Frame
  readonly checks: readonly Check[]
}) => (
  <section class="case-part" aria-labelledby="checked-title">
    <h2 id="checked-title">{t('console.checked')}</h2>
    <dl class="checked">
      {checks.map(({ name, value, isDone }) => (
        <div key={name}>
          <dt>
            <Glyph state={isDone ? 'done' : 'todo'} />
            {name}
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** The maximum number of hits that have a separate row. */
const HITS_IN_SIGHT = 3

/** Returns the open hits, with the score and the topics of each. */
export function screeningNeeds(frame: Frame, base: string, { hits }: ScreeningResult): Need[] {
  const { t } = frame
  const href = tabPath(base, 'screening' satisfies CaseTab)
  const open = openHitsIn({ hits })
  const percent = new Intl.NumberFormat(frame.language, { style: 'percent' })
  const rows: Need[] = open.slice(0, HITS_IN_SIGHT).map(({ id, subject, entry, score, dismissalBy }) => ({
    key: id,
    state: 'refused',
    title: t('console.needs.hit', { name: subject.names[0] ?? '' }),
    note: [
      ...entry.topics.map((topic) => wordOf(frame, 'console.topic', topic)),
      percent.format(score),
      ...(dismissalBy === null ? [] : [t('console.hit.proposed.short')]),
    ].join(', '),
    href,
  }))
  const others = open.length - rows.length
  return others > 0
    ? [...rows, { key: 'hits', state: 'refused', title: t('console.hits', { count: others }), href }]
    : rows
}

/** Returns the result of the screening as a completed check. */
export function screeningCheck(frame: Frame, screening: ScreeningResult): Check {
  const { listVersion } = screening
  const isScreened = listVersion !== null && listVersion !== 'off' && screening.screenedAt !== null
  return {
    name: frame.t('console.screening.lists'),
    value: screeningText(frame, screening),
    isDone: isScreened && openHitsIn(screening).length === 0,
  }
}

function screeningText({ t }: Frame, { listVersion, screenedAt, hits }: ScreeningResult): string {
  if (listVersion === 'off') return t('console.screening.off')
  if (listVersion === null || screenedAt === null) return t('console.screening.notYet')
  return hits.length === 0 ? t('console.screening.none') : t('console.hits', { count: hits.length })
}

/** Returns one point with the reasons for the risk, or an empty list if the risk is low. */
export const risksNeed = (
  { t }: Frame,
  { risks, riskLevel }: Pick<UnderReview, 'risks' | 'riskLevel'>,
): Need[] =>
  risks.length === 0 || riskLevel === 'low'
    ? []
    : [
        {
          key: 'risks',
          state: 'warning',
          title: t(`console.riskLevel.${riskLevel}`),
          note: risks.map((risk) => t(`console.risk.${risk}`)).join(', '),
        },
      ]

/** Lists names, such as those of changed fields. */
export const Names = ({ names }: { readonly names: readonly string[] }) => (
  <ul class="list">
    {names.map((name) => (
      <li key={name}>{name}</li>
    ))}
  </ul>
)
