/** Component: the rows of one section of a profile. */

import { LINK_SECTION } from '../../../../domain/kyb/form.ts'
import {
  DOCUMENT_SECTION,
  type Part,
  PERSON_SECTION,
  type ProfileRow,
} from '../../../../domain/profile/document.ts'
import { completeRows, isAddedRow, isSame, missingRows } from '../../../../domain/profile/draft.ts'
import { rowInWords } from '../../../../domain/profile/words.ts'
import type { ProfileState } from '../../../../use-cases/access/profile-draft.ts'
import { ButtonLink } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Chip } from '../../../components/chip.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type Ask, mayAdminister } from '../ask.ts'
import { profilePath, rowQuery } from './address.ts'
import { documentOf, labelOfRow, namesIn, sectionLabel } from './fields.ts'

/** The number of unchanged rows that a section shows before the others are unfolded. */
const SHOWN = 4

interface SectionProps {
  readonly ask: Ask
  readonly state: ProfileState
  readonly part: Part
  readonly section: ProfileRow['section']
  readonly chosen: string | undefined
  readonly problemsOf: (part: Part, path: string) => readonly string[]
}

export function SectionCard({ ask, state, part, section, chosen, problemsOf }: SectionProps) {
  const { t, id } = ask
  const rows = completeRows(documentOf(state), part).filter((row) => row.section === section)
  const isNotable = (row: ProfileRow) =>
    isAddedRow(row) || row.path === chosen || problemsOf(part, row.path).length > 0
  const first = rows.filter((row, index) => index < SHOWN || isNotable(row))
  const others = rows.filter((row) => !first.includes(row))
  const table = (some: readonly ProfileRow[]) => (
    <Rows ask={ask} state={state} part={part} rows={some} chosen={chosen} problemsOf={problemsOf} />
  )
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
            {missingRows(documentOf(state), part)
              .filter((row) => row.section === section)
              .map((row) => (
                <ButtonLink
                  key={row.path}
                  kind="link"
                  icon="plus"
                  href={profilePath(id, rowQuery(part, row.path))}
                >
                  {labelOfRow(ask.frame, row)}
                </ButtonLink>
              ))}
            <ButtonLink kind="link" icon="plus" href={profilePath(id, rowQuery(part, '', section))}>
              {t('settings.profile.add')}
            </ButtonLink>
          </>
        ) : null
      }
    >
      {table(first)}
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

type RowsProps = Omit<SectionProps, 'section'> & { readonly rows: readonly ProfileRow[] }

function Rows({ ask, state, part, rows, chosen, problemsOf }: RowsProps) {
  const { frame, t, id } = ask
  const names = namesIn(frame, documentOf(state), part)
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
              <a class="row-link" href={profilePath(id, rowQuery(part, row.path))}>
                {labelOfRow(frame, row)}
              </a>{' '}
              <State ask={ask} state={state} part={part} row={row} />
              <p class="row-note">{t(`settings.type.${row.type}`)}</p>
            </>
          ),
        },
        {
          key: 'asked',
          head: t('settings.profile.asking'),
          cell: (row) => (
            <>
              {rowInWords(names, row)}
              {problemsOf(part, row.path).map((problem) => (
                <p key={problem} class="profile-problem">
                  <Icon name="triangle-alert" size={14} /> {problem}
                </p>
              ))}
            </>
          ),
        },
      ]}
    />
  )
}

/** Shows whether the draft adds or changes the row. */
function State({
  ask: { t },
  state,
  part,
  row,
}: Pick<SectionProps, 'ask' | 'state' | 'part'> & { row: ProfileRow }) {
  if (!state.draft) return null
  const before = completeRows(state.published, part).find(({ path }) => path === row.path)
  if (!before) return <Chip tone="success">{t('settings.profile.new')}</Chip>
  return isSame(before, row) ? null : <Chip tone="info">{t('settings.profile.changed')}</Chip>
}
