/** Component: the rows of one section of a profile. */
import { LINK_SECTION } from '../../../../domain/kyb/form.ts'
import { missingLanguages } from '../../../../domain/profile/check.ts'
import {
  DOCUMENT_SECTION,
  isAddedRow,
  type Part,
  PERSON_SECTION,
  type ProfileRow,
} from '../../../../domain/profile/document.ts'
import { missingRows } from '../../../../domain/profile/draft.ts'
import { rowInWords } from '../../../../domain/profile/words.ts'
import { ButtonLink } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Chip } from '../../../components/chip.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { Translate } from '../../../texts/index.ts'
import { languageName } from '../../base/form.ts'
import { mayAdminister } from '../ask.ts'
import { profilePath, rowQuery } from './address.ts'
import { documentOf, labelOfRow, namesIn, sectionLabel } from './fields.ts'
import type { ProblemInWords } from './problems.ts'
import { changesIn, type Listed } from './row-filter.tsx'

/** The number of unchanged rows that a section shows before the others are unfolded. */
const SHOWN = 4

interface SectionProps extends Listed {
  readonly section: ProfileRow['section']
  /** The rows of the section that match the filters. */
  readonly rows: readonly ProfileRow[]
  readonly chosen: string | undefined
  readonly problemsOf: (part: Part, path: string) => readonly ProblemInWords[]
}

export function SectionCard(props: SectionProps) {
  const { ask, state, part, filter, section, rows, chosen, problemsOf } = props
  const { t, id } = ask
  const isFiltered = filter.show !== undefined || filter.find !== undefined
  const missing = missingRows(documentOf(state), part).filter((row) => row.section === section)
  if (rows.length === 0 && (isFiltered || missing.length === 0)) return null
  const isNotable = (row: ProfileRow) =>
    isAddedRow(row) || row.path === chosen || problemsOf(part, row.path).length > 0
  const first = rows.filter((row, index) => index < SHOWN || isFiltered || isNotable(row))
  const others = rows.filter((row) => !first.includes(row))
  const table = (some: readonly ProfileRow[]) => <Rows {...props} rows={some} />
  return (
    <Card
      id={`section-${section}`}
      class="card-of-table profile-section"
      icon={ICONS[section]}
      title={
        <>
          {sectionLabel(t, part, section)}{' '}
          <span class="quiet">{t('settings.profile.count', { count: rows.length })}</span>
        </>
      }
      end={
        mayAdminister(ask, id) ? (
          <>
            {missing.map((row) => (
              <ButtonLink
                key={row.path}
                kind="link"
                icon="plus"
                href={profilePath(id, rowQuery(part, row.path, filter))}
              >
                {labelOfRow(ask.frame, row)}
              </ButtonLink>
            ))}
            <ButtonLink
              kind="link"
              icon="plus"
              href={profilePath(id, rowQuery(part, '', { ...filter, section }))}
            >
              {t('settings.profile.add')}
            </ButtonLink>
          </>
        ) : null
      }
    >
      {first.length > 0 ? table(first) : null}
      {others.length > 0 ? (
        <details class="profile-more">
          <summary>{t('settings.profile.show', { count: others.length })}</summary>
          {table(others)}
        </details>
      ) : null}
    </Card>
  )
}

const ICONS = {
  nature_of_business: 'building-2',
  usage_of_account: 'wallet',
  business_files: 'file-text',
  beneficiaries: 'users',
  [PERSON_SECTION]: 'users',
  [DOCUMENT_SECTION]: 'id-card',
  [LINK_SECTION]: 'smartphone',
} as const

function Rows(props: SectionProps) {
  const { ask, state, part, filter, languages, rows, chosen, problemsOf } = props
  const { frame, t, id } = ask
  const names = namesIn(frame, documentOf(state), part)
  const changeOf = changesIn(props)
  return (
    <DataTable
      rows={rows}
      keyOf={({ path }) => path}
      rowProps={({ path }) => (path === chosen ? { 'aria-current': 'true' } : {})}
      isLinked
      class="profile-rows"
      columns={[
        {
          key: 'question',
          head: t('settings.profile.question'),
          cell: (row) => (
            <>
              <a class="row-link" href={profilePath(id, rowQuery(part, row.path, filter))}>
                {labelOfRow(frame, row)}
              </a>{' '}
              <State t={t} change={changeOf(row)} />
              <p class="row-note">{t(`settings.type.${row.type}`)}</p>
            </>
          ),
        },
        {
          key: 'asked',
          head: t('settings.profile.asking'),
          // The last column names missing texts.
          cell: (row) => (
            <>
              {rowInWords(names, row)}
              {problemsOf(part, row.path)
                .filter(({ input }) => input === null || languages.length === 1)
                .map(({ text }) => (
                  <p key={text} class="profile-problem">
                    <Icon name="triangle-alert" size={14} /> {text}
                  </p>
                ))}
            </>
          ),
        },
        ...(languages.length > 1
          ? [
              {
                key: 'languages',
                head: t('settings.languages'),
                cell: (row: ProfileRow) => <Complete t={t} row={row} languages={languages} />,
              },
            ]
          : []),
      ]}
    />
  )
}

/** Shows in how many languages of the vault the texts are complete, and names the missing ones. */
function Complete({ t, row, languages }: { t: Translate; row: ProfileRow; languages: readonly string[] }) {
  const missing = missingLanguages(row, languages)
  const count = t('settings.profile.complete', {
    count: languages.length - missing.length,
    total: languages.length,
  })
  if (missing.length === 0) return <span class="quiet">{count}</span>
  const names = missing.map((each) => languageName(t, each))
  return (
    <>
      {count}
      <p class="profile-problem">
        <Icon name="triangle-alert" size={14} />{' '}
        {t('settings.profile.incompleteIn', { languages: names.join(', ') })}
      </p>
    </>
  )
}

function State(props: { t: Translate; change: ReturnType<ReturnType<typeof changesIn>> }) {
  const { t, change } = props
  if (change === null) return null
  return <Chip tone={change === 'new' ? 'success' : 'info'}>{t(`settings.profile.${change}`)}</Chip>
}
