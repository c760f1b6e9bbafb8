/** Page: a vault's profile, which administrators draft, check and publish. */
import { RequestRefused, requireFound } from '../../../../domain/base/errors.ts'
import { compareProfiles } from '../../../../domain/profile/comparison.ts'
import { isAddedRow, PARTS, type Part } from '../../../../domain/profile/document.ts'
import { completeRows, missingRows, withoutRow, withRow } from '../../../../domain/profile/draft.ts'
import { checkDraft } from '../../../../use-cases/access/profile.ts'
import {
  changeDraft,
  getProfileState,
  type ProfileState,
} from '../../../../use-cases/access/profile-draft.ts'
import { ButtonLink } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Chip } from '../../../components/chip.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { flashAt } from '../../base/flash.ts'
import { NEW_FORM, textOf } from '../../base/form.ts'
import { confirmationPage } from '../../base/parts.tsx'
import { momentOf } from '../../base/words.ts'
import { type Ask, mayAdminister, placeInVault, type Reply } from '../ask.ts'
import { listQuery, profilePath, rowQuery } from './address.ts'
import { documentOf, labelOfRow, sectionsOf } from './fields.ts'
import type { Previewed } from './preview.tsx'
import { problemsInWords } from './problems.ts'
import { publishersOf } from './publication.tsx'
import { filterIn, RowFilters, rowsOf } from './row-filter.tsx'
import { emptyRow, RowPanel } from './row-form.tsx'
import { SectionCard } from './row-list.tsx'
import { type Subject, sentRow } from './sent-row.ts'

/** Returns the part in the address, or that of the company. */
const partIn = ({ req }: Ask): Part => PARTS.find((each) => each === req.query.part) ?? 'company'
const rowIn = ({ req }: Ask): string | null => (req.query.row === undefined ? null : String(req.query.row))

/** Returns the row in the address. Throws `not_found` if the document has none. */
function subjectOf(ask: Ask, state: ProfileState, languages: readonly string[]): Subject | null {
  const path = rowIn(ask)
  if (path === null) return null
  const part = partIn(ask)
  const document = documentOf(state)
  if (path === '') {
    const row = emptyRow(part, String(ask.req.query.section ?? ''))
    return { document, part, row, isNew: true, languages }
  }
  const row = requireFound(
    [...completeRows(document, part), ...missingRows(document, part)].find((each) => each.path === path),
  )
  return { document, part, row, isNew: false, languages }
}

/** The forms that show the questions of each part. */
const PREVIEWS = {
  company: ['kyb'],
  beneficiary: ['kyb', 'link'],
  person: ['person'],
} as const satisfies Record<Part, readonly Previewed[]>

export async function profilePage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id } = ask
  const place = await placeInVault(ask, 'profile')
  const state = await getProfileState(deps, visit, id)
  const problems = state.draft
    ? problemsInWords(ask, state.draft.document, await checkDraft(deps, visit, id))
    : []
  const problemsOf = (part: Part, path: string) =>
    problems.filter((each) => each.part === part && each.row.path === path)
  const subject = subjectOf(ask, state, place.vault.languages)
  const part = partIn(ask)
  const maySave = mayAdminister(ask, id)
  const [newest] = state.versions
  const filter = filterIn(ask)
  const { languages } = place.vault
  const listed = { ask, state, part, filter, languages }
  const rows = rowsOf(listed)
  const back = profilePath(id, listQuery(part, filter))
  return {
    ...place,
    title: t('settings.profile'),
    lead: (
      <>
        {t('settings.profile.lead', { vault: place.vault.name })}{' '}
        {newest
          ? t('settings.profile.newest', {
              version: newest.version,
              from: momentOf(ask.frame, newest.appliesFrom),
            })
          : t('settings.profile.default')}{' '}
        {state.draft
          ? t('settings.profile.draft.text', {
              count: compareProfiles(state.published, state.draft.document).length,
            })
          : null}
      </>
    ),
    count: state.draft ? (
      <Chip tone="info" icon="pencil">
        {t('settings.profile.draft', { version: state.draft.version })}
      </Chip>
    ) : null,
    // The panel leaves no room for these buttons.
    tools:
      state.draft && !subject ? (
        <>
          {PREVIEWS[part].map((form) => (
            <ButtonLink
              key={form}
              kind="secondary"
              icon={form === 'link' ? 'smartphone' : 'eye'}
              href={profilePath(id, `/preview/${form}/`)}
            >
              {t(form === 'link' ? 'settings.profile.preview.link' : 'settings.profile.preview')}
            </ButtonLink>
          ))}
          <ButtonLink href={profilePath(id, '/publish')}>
            {t(maySave ? 'settings.profile.compare' : 'settings.profile.changes.show')}
          </ButtonLink>
        </>
      ) : null,
    aside: subject ? (
      <RowPanel
        ask={ask}
        subject={subject}
        action={profilePath(id, rowQuery(part, subject.isNew ? '' : subject.row.path, filter))}
        back={back}
        maySave={maySave}
        problems={problemsOf(part, subject.row.path)}
      />
    ) : undefined,
    children: (
      <>
        <RowFilters {...listed} />
        {rows.length === 0 ? (
          <EmptyState icon="list-checks" text={t('settings.profile.noMatch')}>
            <ButtonLink kind="secondary" href={profilePath(id, listQuery(part))}>
              {t('settings.profile.showAll')}
            </ButtonLink>
          </EmptyState>
        ) : null}
        {sectionsOf(part).map((section) => (
          <SectionCard
            key={section}
            {...listed}
            section={section}
            rows={rows.filter((row) => row.section === section)}
            chosen={subject?.row.path}
            problemsOf={problemsOf}
          />
        ))}
        <div class="actions">
          <ButtonLink kind="secondary" icon="download" href={profilePath(id, '/export')}>
            {t('settings.profile.export')}
          </ButtonLink>
          {maySave ? (
            <ButtonLink kind="secondary" icon="upload" href={profilePath(id, '/import')}>
              {t('settings.profile.import')}
            </ButtonLink>
          ) : null}
        </div>
        <Versions ask={ask} state={state} publisher={await publishersOf(ask, state.versions)} />
      </>
    ),
  }
}

interface VersionsProps {
  readonly ask: Ask
  readonly state: ProfileState
  readonly publisher: Awaited<ReturnType<typeof publishersOf>>
}

function Versions({ ask, state, publisher }: VersionsProps) {
  const { frame, t } = ask
  if (state.versions.length === 0) return null
  return (
    <Card id="versions" class="card-of-table" icon="history" title={t('settings.profile.versions')}>
      <DataTable
        rows={state.versions}
        keyOf={({ version }) => String(version)}
        columns={[
          { key: 'version', head: t('settings.profile.version'), cell: ({ version }) => String(version) },
          {
            key: 'from',
            head: t('settings.profile.from'),
            cell: ({ appliesFrom }) => momentOf(frame, appliesFrom),
          },
          {
            key: 'published',
            head: t('settings.profile.published'),
            cell: ({ publishedAt }) => momentOf(frame, publishedAt),
          },
          { key: 'by', head: t('settings.profile.publishedBy'), cell: publisher },
        ]}
      />
    </Card>
  )
}

export async function saveRow(ask: Ask): Promise<Reply> {
  const { deps, visit, by, frame, id, sent, res } = ask
  // Shows one line more or less. Saves nothing.
  const dropped = textOf(sent, 'drop')
  if (textOf(sent, 'more') || dropped) {
    const typed = { ...sent, [`field_${dropped}`]: undefined }
    return profilePage({ ...ask, again: { ...NEW_FORM, typed } })
  }
  const { vault } = await placeInVault(ask, 'profile', { permission: 'administer' })
  const part = partIn(ask)
  const state = await getProfileState(deps, visit, id)
  const subject = requireFound(subjectOf(ask, state, vault.languages))
  const row = sentRow(ask, subject)
  await changeDraft(deps, visit, by, id, (document) => {
    const isTaken = completeRows(document, part).some(({ path }) => path === row.path)
    if (subject.isNew && isTaken) throw new RequestRefused({ code: 'invalid', field: 'path' })
    return withRow(document, part, subject.isNew ? null : row.path, row)
  })
  return flashAt(
    deps,
    res,
    profilePath(id, listQuery(part, filterIn(ask))),
    'rowSaved',
    labelOfRow(frame, row),
  )
}

export async function askToRemoveRow(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, id } = ask
  const place = await placeInVault(ask, 'profile', { permission: 'administer' })
  const subject = subjectOf(ask, await getProfileState(deps, visit, id), [])
  if (!subject || subject.isNew) throw new RequestRefused({ code: 'not_found' })
  const { part, row } = subject
  const query = rowQuery(part, row.path, filterIn(ask))
  const verb = isAddedRow(row) ? 'remove' : 'reset'
  const confirmation = confirmationPage(ask, {
    title: t(`settings.profile.${verb}.title`, { label: labelOfRow(frame, row) }),
    text: `settings.profile.${verb}.text`,
    action: profilePath(id, `/remove${query}`),
    press: `settings.profile.${verb}`,
    back: profilePath(id, query),
  })
  return { ...place, ...confirmation }
}

export async function removeRow(ask: Ask): Promise<Reply> {
  const { deps, visit, by, frame, id, res } = ask
  const part = partIn(ask)
  const path = rowIn(ask) ?? ''
  const document = documentOf(await getProfileState(deps, visit, id))
  const row = completeRows(document, part).find((each) => each.path === path)
  await changeDraft(deps, visit, by, id, (draft) => withoutRow(draft, part, path))
  const back = profilePath(id, listQuery(part, filterIn(ask)))
  if (!row) return back
  return flashAt(deps, res, back, isAddedRow(row) ? 'rowRemoved' : 'rowReset', labelOfRow(frame, row))
}
