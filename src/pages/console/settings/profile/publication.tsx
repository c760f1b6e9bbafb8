/** Page: the publication of a draft profile, with its rehearsal, and with the applications to which it applies. */

import { parseOrRefuse } from '../../../../contracts/check.ts'
import { publishBody } from '../../../../contracts/profile.ts'
import { peopleIn } from '../../../../domain/access/audit.ts'
import { RequestRefused } from '../../../../domain/base/errors.ts'
import { timeOf } from '../../../../domain/base/unix-time.ts'
import { compareProfiles, type Difference, differenceInWords } from '../../../../domain/profile/comparison.ts'
import { listEmails } from '../../../../use-cases/access/names.ts'
import { checkDraft, publicationOf } from '../../../../use-cases/access/profile.ts'
import { getProfileState, type ProfileState } from '../../../../use-cases/access/profile-draft.ts'
import { exportRehearsal, type Rehearsal, rehearseDraft } from '../../../../use-cases/review/rehearsal.ts'
import { ButtonLink } from '../../../components/button.tsx'
import { Card, Tile } from '../../../components/card.tsx'
import { ChoiceCard } from '../../../components/choice-card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Icon } from '../../../components/icon.tsx'
import { dayText, isoDay } from '../../../values/dates.ts'
import { sendCsv } from '../../base/csv.ts'
import { flashAt } from '../../base/flash.ts'
import { textOf } from '../../base/form.ts'
import { Input } from '../../base/inputs.tsx'
import { CaseLink, SettingsForm } from '../../base/parts.tsx'
import { nameOrId } from '../../base/words.ts'
import { nameOf } from '../../case/timeline.tsx'
import { CaseSign } from '../../lists/queue-cells.tsx'
import { performAction } from '../actions.tsx'
import { type Ask, mayAdminister, placeInVault, type Reply } from '../ask.ts'
import { profilePath, rowQuery } from './address.ts'
import { documentOf, labelOfRow, namesIn } from './fields.ts'
import { problemsInWords } from './problems.ts'

export async function publicationPage(ask: Ask): Promise<Reply> {
  const { deps, visit, by, t, frame, id } = ask
  const place = await placeInVault(ask, 'profile')
  const state = await getProfileState(deps, visit, id)
  if (!state.draft) return profilePath(id)
  const problems = problemsInWords(ask, state.draft.document, await checkDraft(deps, visit, id))
  const rehearsal = await rehearseDraft(deps, visit, by, id, EXAMPLES)
  const { version } = state.draft
  const [newest] = state.versions
  const differences = compareProfiles(state.published, state.draft.document)
  const title = t('settings.profile.publish', { version })
  const content = (
    <div class="publication">
      <div>
        {problems.length > 0 ? (
          <Card id="problems-title" title={t('settings.profile.incomplete')} class="profile-changes">
            {problems.map(({ part, row, text }) => (
              <div key={text} class="profile-change">
                <Tile icon="triangle-alert" tone="danger" />
                <div>
                  <p>
                    <a href={profilePath(id, rowQuery(part, row.path))}>{labelOfRow(frame, row)}</a>
                  </p>
                  <p class="row-note">{text}</p>
                </div>
              </div>
            ))}
          </Card>
        ) : null}
        <Card id="changes-title" title={t('settings.profile.changes.title')} class="profile-changes">
          {differences.length === 0 ? (
            <EmptyState icon="list-checks" text={t('settings.profile.changes.none')}>
              <ButtonLink kind="secondary" href={profilePath(id)}>
                {t('settings.profile')}
              </ButtonLink>
            </EmptyState>
          ) : null}
          {differences.map((difference) => (
            <DifferenceRow
              key={`${difference.part} ${pathOf(difference)}`}
              ask={ask}
              state={state}
              difference={difference}
            />
          ))}
        </Card>
        {problems.length > 0 ? null : <Applies ask={ask} rehearsal={rehearsal} />}
      </div>
      <RehearsalCard ask={ask} rehearsal={rehearsal} document={documentOf(state)} />
    </div>
  )
  return {
    ...place,
    up: { href: profilePath(id), name: 'settings.profile' },
    title,
    lead: newest
      ? t('settings.profile.changes.since', {
          count: differences.length,
          version: newest.version,
          who: (await publishersOf(ask, [newest]))(newest),
          day: dayText(frame, newest.publishedAt),
        })
      : t('settings.profile.changes', { count: differences.length }),
    children:
      problems.length > 0 ? (
        content
      ) : (
        <SettingsForm
          ask={ask}
          action={profilePath(id, '/publish')}
          back={profilePath(id)}
          isNew
          press={title}
          maySave={mayAdminister(ask, id)}
        >
          {content}
        </SettingsForm>
      ),
  }
}

const APPLIES_TO = ['new', 'open'] as const

/** Asks for the applications to which the version applies. Open ones move on a date, new ones can have it at once. */
function Applies({ ask: { deps, frame, t, again }, rehearsal }: { ask: Ask; rehearsal: Rehearsal }) {
  const { open, openAffected: affected } = rehearsal
  const chosen = again.typed ? textOf(again.typed, 'applies_to') : 'new'
  return (
    <Card id="applies-title" title={t('settings.profile.applies')}>
      <fieldset class="publication-choice" aria-labelledby="applies-title">
        {APPLIES_TO.map((value) => (
          <ChoiceCard
            key={value}
            name="applies_to"
            value={value}
            checked={value === chosen}
            label={t(`settings.profile.applies.${value}`)}
            text={t(`settings.profile.applies.${value}.text`, { open, affected })}
          />
        ))}
        <Input
          frame={frame}
          again={again}
          name="applies_from"
          type="date"
          min={tomorrow()}
          hint={t('settings.applies_from.hint')}
          isOptional={false}
        />
      </fieldset>
      {deps.config.ADMIN_FOUR_EYES ? <p class="quiet">{t('settings.profile.fourEyes')}</p> : null}
    </Card>
  )
}

/** Returns the first day that begins later, in UTC. Open applications do not move on an earlier date. */
const tomorrow = (): string => isoDay(new Date(Date.now() + 86_400_000))

type Version = ProfileState['versions'][number]

/** Returns a function that names the person who published a version, or the kind of actor if there is no such person. */
export async function publishersOf(
  { deps, frame }: Pick<Ask, 'deps' | 'frame'>,
  versions: readonly Version[],
): Promise<(version: Version) => string> {
  const emails = await listEmails(deps, peopleIn(versions.map(({ publishedBy }) => publishedBy)))
  return ({ publishedBy }) => nameOf(frame, emails, publishedBy)
}

const pathOf = ({ before, after }: Difference): string => (after ?? before)?.path ?? ''

const LOOKS = {
  added: { icon: 'plus', tone: 'success' },
  changed: { icon: 'pencil', tone: 'accent' },
  removed: { icon: 'minus', tone: 'danger' },
} as const

interface DifferenceProps {
  readonly ask: Ask
  readonly state: ProfileState
  readonly difference: Difference
}

function DifferenceRow({ ask: { frame, t }, state, difference }: DifferenceProps) {
  const { part, kind } = difference
  const names = {
    before: namesIn(frame, state.published, part),
    after: namesIn(frame, documentOf(state), part),
  }
  const { title, text, changes } = differenceInWords(names, difference)
  return (
    <div class="profile-change">
      <Tile {...LOOKS[kind]} />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {text ? <p class="row-note">{text}</p> : null}
        {changes.map(({ name, before, after }) => (
          <p key={name} class="row-note">
            {name}: {before ? <del>{before}</del> : t('settings.profile.changes.nothing')}{' '}
            <Icon name="arrow-right" size={14} />{' '}
            {after ? <ins>{after}</ins> : t('settings.profile.changes.nothing')}
          </p>
        ))}
      </div>
    </div>
  )
}

interface RehearsalProps {
  readonly ask: Ask
  readonly rehearsal: Rehearsal
  readonly document: ReturnType<typeof documentOf>
}

/** The number of applications that the page names. The file names all. */
const EXAMPLES = 5

/** Sends the applications that would owe more under the draft as a file. */
export async function sendRehearsal({ deps, visit, by, res, id }: Ask): Promise<void> {
  const cases = await exportRehearsal(deps, visit, by, id)
  const rows = cases.map((each) => ({
    id: each.id,
    external_id: each.externalId,
    owed: each.owed.join(' '),
  }))
  sendCsv(res, 'rehearsal', rows)
}

function RehearsalCard({ ask, rehearsal, document }: RehearsalProps) {
  const { t, frame, id: vaultId } = ask
  const { applications, affected, byPath, cases } = rehearsal
  const names = namesIn(frame, document, 'beneficiary')
  const labelAt = (path: string) => names.field(path.replace(/^beneficiaries\.beneficiaries_list\./, ''))
  const [only, ...more] = byPath
  return (
    <section class="card profile-rehearsal" aria-labelledby="rehearsal-title">
      <p class="row-note">{t('settings.profile.rehearsal')}</p>
      <h2 id="rehearsal-title">
        {applications === 0
          ? t('settings.profile.rehearsed.none')
          : only && more.length === 0
            ? t('settings.profile.rehearsed.one', { applications, affected, label: labelAt(only.path) })
            : t('settings.profile.rehearsed', { applications, affected })}
      </h2>
      {affected > 0
        ? APPLIES_TO.map((value) => (
            <p key={value} class={`row-note rehearsed-${value}`}>
              {t(`settings.profile.rehearsal.${value}`)}
            </p>
          ))
        : null}
      {applications > 0 ? (
        <>
          <progress max={applications} value={applications - affected} aria-hidden="true" />
          <ul class="legend">
            {(['complete', 'missing'] as const).map((name) => (
              <li key={name}>
                <span class={`legend-colour rehearsed-${name}`} />
                {t(`settings.profile.rehearsed.${name}`, {
                  count: name === 'missing' ? affected : applications - affected,
                })}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {more.length > 0 ? (
        <ul>
          {byPath.map(({ path, count }) => (
            <li key={path}>{t('settings.profile.owed', { count, label: labelAt(path) })}</li>
          ))}
        </ul>
      ) : null}
      {cases.length > 0 ? (
        <>
          <h3>{t('settings.profile.owing')}</h3>
          <ul class="rows">
            {cases.map(({ id, externalId, name, country, owed }) => (
              <li key={id}>
                <CaseSign frame={frame} entry={{ kind: 'kyb', country }} />
                <span class="row-text">
                  <CaseLink ask={ask} entity="kyb" id={id} vaultId={ask.id}>
                    {nameOrId(name, externalId)}
                  </CaseLink>
                  <span class="row-note">{owed.map(labelAt).join(', ')}</span>
                </span>
              </li>
            ))}
          </ul>
          <ButtonLink kind="link" icon="download" href={profilePath(vaultId, '/rehearsal')}>
            {t('settings.profile.owing.csv')}
          </ButtonLink>
        </>
      ) : null}
    </section>
  )
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

export async function publishProfile(ask: Ask): Promise<Reply> {
  const { deps, visit, id, sent, res } = ask
  const to = textOf(sent, 'applies_to')
  const day = to === 'new' ? null : textOf(sent, 'applies_from')
  if (to === 'open' && (day === null || day < tomorrow()))
    throw new RequestRefused({ code: 'invalid', field: 'applies_from' })
  const seconds = day !== null && DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) / 1_000 : day
  const { applies_from } = parseOrRefuse(publishBody, seconds === null ? {} : { applies_from: seconds })
  const from = timeOf(applies_from)
  const action = await publicationOf(deps, visit, id, from)
  return performAction(ask, action, () =>
    flashAt(deps, res, profilePath(id), 'profilePublished', String(action.version)),
  )
}
