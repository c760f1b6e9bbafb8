/** Component: a sample of the hosted pages in the colours of a vault, for the branding page. */
import type { Vault } from '../../../domain/access/vault.ts'
import { Button } from '../../components/button.tsx'
import { type GlyphState, Icon, type IconName } from '../../components/icon.tsx'
import { type Frame, VaultSign } from '../../components/layout.tsx'
import { ProgressBar } from '../../components/progress.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import type { Translate } from '../../texts/index.ts'

/** Fictional names, which are the same in every language. */
const COMPANY = 'Lindenhof Instruments'
const PERSON = 'Jonas Reuter'

export const SAMPLES = ['company', 'person'] as const
type SampleName = (typeof SAMPLES)[number]

interface Row {
  readonly icon: IconName
  readonly name: string
  readonly state: GlyphState
  readonly done: number
  readonly total: number
}

interface Sample {
  readonly title: string
  readonly lead: string
  /** The card with the next item, which only the page of a company has. */
  readonly next?: { readonly title: string; readonly text: string }
  readonly rows: readonly Row[]
}

const row = (icon: IconName, name: string, done: number, total: number): Row => ({
  icon,
  name,
  state: done === total ? 'done' : done === 0 ? 'todo' : 'started',
  done,
  total,
})

const sampleOf = (t: Translate, vault: string): Readonly<Record<SampleName, Sample>> => ({
  company: {
    title: t('overview.titleOf', { company: COMPANY }),
    lead: t('overview.text', { vault }),
    next: { title: t('next.id', { name: PERSON }), text: t('next.id.text') },
    rows: [
      row('building-2', t('section.nature_of_business'), 1, 1),
      row('wallet', t('section.usage_of_account'), 1, 1),
      row('users', t('section.beneficiaries'), 2, 3),
      row('file-text', t('section.business_files'), 2, 5),
      row('send', t('overview.check'), 0, 1),
    ],
  },
  person: {
    title: t('link.person.title'),
    lead: t('person.text'),
    rows: [
      row('shield-check', t('person.consent'), 1, 1),
      row('user', t('person.details'), 1, 1),
      row('id-card', t('person.document'), 0, 1),
      row('camera', t('field.document_front'), 0, 1),
      row('scan-face', t('field.selfie'), 0, 1),
    ],
  },
})

interface SampleProps {
  readonly frame: Frame
  readonly vault: Vault
}

/** Renders the sample pages. Their controls have no effect. */
export const SamplePages = ({ frame, vault }: SampleProps) => (
  <div class="preview-page preview-screen" aria-hidden="true" inert>
    <div class="preview-bar">
      <span data-logo>
        <VaultSign vault={vault} />
      </span>
      <span class="preview-language">
        <Icon name="globe" />
        {frame.language.toUpperCase()}
        <Icon name="chevron-down" />
      </span>
    </div>
    {SAMPLES.map((name) => (
      <SamplePage key={name} frame={frame} vault={vault} name={name} />
    ))}
  </div>
)

function SamplePage({ frame: { t }, vault, name }: SampleProps & { readonly name: SampleName }) {
  const { title, lead, next, rows } = sampleOf(t, vault.name)[name]
  const done = rows.reduce((sum, each) => sum + each.done, 0)
  const total = rows.reduce((sum, each) => sum + each.total, 0)
  return (
    <div class={`preview-${name}`}>
      <ProgressBar segments={rows} text={t('progress.done', { done, total })} />
      <div class="preview-body">
        <p class="preview-title">{title}</p>
        <p class="quiet">{lead}</p>
        {next ? (
          <div class="card card-accent preview-next">
            <p class="preview-label">{t('next')}</p>
            <p class="preview-name">{next.title}</p>
            <p class="row-note">{next.text}</p>
            <Button type="button" endIcon="arrow-right">
              {t('next.go')}
            </Button>
          </div>
        ) : null}
        <ul class="card rows">
          {rows.map((each) => (
            <TaskRow
              key={each.name}
              href="#"
              icon={each.icon}
              name={each.name}
              note={statusOf(t, each)}
              state={each.state}
              share={each.done / each.total}
            />
          ))}
        </ul>
        {next ? null : <Button type="button">{t('person.continue')}</Button>}
      </div>
    </div>
  )
}

const statusOf = (t: Translate, { state, done, total }: Row): string =>
  state === 'done'
    ? t('task.done')
    : state === 'todo'
      ? t('task.todo')
      : t('task.left', { left: total - done })
