/** Component: a sample of the hosted pages with the colours of a vault, for the branding page. */

import type { Vault } from '../../../domain/access/vault.ts'
import { Button } from '../../components/button.tsx'
import type { GlyphState } from '../../components/glyph.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { type Frame, VaultSign } from '../../components/layout.tsx'
import { ProgressBar } from '../../components/progress.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import type { Translate } from '../../texts/index.ts'

/** Invented names, which are the same in every language. */
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
  readonly next: string
  readonly nextText: string
  readonly rows: readonly Row[]
}

const row = (icon: IconName, name: string, done: number, total: number): Row => ({
  icon,
  name,
  state: done === total ? 'done' : done === 0 ? 'todo' : 'started',
  done,
  total,
})

const sampleOf = (t: Translate): Readonly<Record<SampleName, Sample>> => ({
  company: {
    title: t('settings.sample.company', { company: COMPANY }),
    next: t('settings.sample.id', { person: PERSON }),
    nextText: t('settings.sample.id.text'),
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
    next: t('person.details'),
    nextText: t('person.details.text'),
    rows: [
      row('shield-check', t('person.consent'), 1, 1),
      row('user', t('person.details'), 1, 3),
      row('id-card', t('person.document'), 0, 1),
      row('scan-face', t('person.selfie'), 0, 1),
      row('send', t('overview.check'), 0, 1),
    ],
  },
})

interface SampleProps {
  readonly frame: Frame
  readonly vault: Vault
}

/** Everything in it is for looking only. */
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
  const { title, next, nextText, rows } = sampleOf(t)[name]
  const done = rows.reduce((sum, each) => sum + each.done, 0)
  const total = rows.reduce((sum, each) => sum + each.total, 0)
  return (
    <div class={`preview-${name}`}>
      <ProgressBar
        done={done}
        total={total}
        text={t('settings.sample.progress', { done, total })}
        steps={rows.map(({ icon: _, ...each }) => ({
          ...each,
          href: each.name,
          status: '',
          isCurrent: false,
        }))}
      />
      <div class="preview-body">
        <p class="preview-title">{title}</p>
        <p class="quiet">{t('settings.sample.lead', { vault: vault.name })}</p>
        <div class="card card-accent preview-next">
          <p class="preview-label">{t('settings.sample.next')}</p>
          <p class="preview-name">{next}</p>
          <p class="row-note">{nextText}</p>
          <Button type="button" endIcon="arrow-right">
            {t('person.continue')}
          </Button>
        </div>
        <ul class="card rows">
          {rows.map((each, index) => (
            <TaskRow
              key={each.name}
              href={index === rows.length - 1 ? null : '#'}
              icon={each.icon}
              name={each.name}
              note={
                index === rows.length - 1
                  ? t('settings.sample.last')
                  : each.state === 'done'
                    ? t('status.complete')
                    : t('settings.sample.left', { count: each.total - each.done })
              }
              state={each.state}
              share={each.done / each.total}
            />
          ))}
        </ul>
      </div>
    </div>
  )
}
