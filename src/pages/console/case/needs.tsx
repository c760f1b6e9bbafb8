/** Component: the summary of a case, with the points that need the operator's attention and the completed checks. */
import type { ComponentChildren } from 'preact'
import { Glyph, type GlyphState, Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { RowText } from '../../components/row-text.tsx'

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
  /** True if the page has another part that states what is open, such as a second approval. */
  readonly isOptional: boolean
  /** True if another part names the operator's task, so that these points are only for information. */
  readonly isPending?: boolean
}

export function Needs({ frame: { t }, needs, isOptional, isPending = false }: NeedsProps) {
  // A script replaces this element after each mark.
  if (isOptional && needs.length === 0) return <div id="needs" data-fresh hidden />
  return (
    <section class="case-part" id="needs" aria-labelledby="needs-title" data-fresh>
      <h2 id="needs-title" class="spread">
        <span class="screen-only">{t(isPending ? 'console.needs.print' : 'console.needs')}</span>
        <span class="print-only">{t('console.needs.print')}</span>
        {needs.length === 0 ? null : (
          // Screen readers announce the number of entries with the list.
          <span class="quiet small screen-only" aria-hidden="true">
            {t('console.needs.count', { count: needs.length })}
          </span>
        )}
      </h2>
      {needs.length === 0 ? (
        <p class="need-none">
          <Glyph state="done" /> {t('console.needs.none')}
        </p>
      ) : (
        <NeedRows needs={needs.toSorted((a, b) => urgencyOf(a) - urgencyOf(b))} />
      )}
    </section>
  )
}

const URGENCY: readonly GlyphState[] = ['refused', 'warning', 'info', 'todo', 'started', 'done']

const urgencyOf = ({ state }: Need): number => URGENCY.indexOf(state)

/** Shows the points that the client must settle. */
export const Waiting = ({ frame, needs }: Pick<NeedsProps, 'frame' | 'needs'>) => (
  <section class="case-part" aria-labelledby="waiting-title">
    <h2 id="waiting-title">{frame.t('console.needs.client')}</h2>
    <NeedRows needs={needs} />
  </section>
)

const NeedRows = ({ needs }: Pick<NeedsProps, 'needs'>) => (
  <ul class="card rows">
    {needs.map((need) => (
      <li key={need.key}>
        <NeedRow {...need} />
      </li>
    ))}
  </ul>
)

function NeedRow({ state, title, note, href, more, isOpen = false }: Need) {
  const content = (
    <>
      <Glyph state={state} />
      <RowText name={title} note={note} />
      {href || more ? (
        <span class="row-end">
          <Icon name={more ? 'chevron-down' : 'chevron-right'} />
        </span>
      ) : null}
    </>
  )
  if (more)
    return (
      <details open={isOpen}>
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
  /** Explains the value to the operator. */
  readonly note?: string | undefined
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
      {checks.map(({ name, value, isDone, note }) => (
        <div key={name}>
          <dt>
            <Glyph state={isDone ? 'done' : 'todo'} />
            {name}
          </dt>
          <dd>{value}</dd>
          {note ? <dd class="hint">{note}</dd> : null}
        </div>
      ))}
    </dl>
  </section>
)

export const Names = ({ names }: { readonly names: readonly ComponentChildren[] }) => (
  <ul class="list">
    {names.map((name, n) => (
      <li key={n}>{name}</li>
    ))}
  </ul>
)
