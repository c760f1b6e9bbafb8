/** Component: the beneficiaries of an application, with the status of their verifications. */
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Fields, FieldType } from '../../../domain/fields/field.ts'
import type { Verification } from '../../../domain/identification/identification.ts'
import { PERSON_FIELDS } from '../../../domain/identification/person-form.ts'
import type { Profile } from '../../../domain/identification/profile.ts'
import { verifiedIn } from '../../../domain/kyb/beneficiary-check.ts'
import type { Change } from '../../../domain/kyb/changes.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import { shareOf, sharesOf } from '../../../domain/kyb/shares.ts'
import { fullNameOf } from '../../../domain/names/full-name.ts'
import type { KybUnderReview } from '../../../domain/review/review.ts'
import { Chip } from '../../components/chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { textOf } from '../../components/fields.tsx'
import { Avatar, Flag, Glyph, type GlyphState } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { ShareBar } from '../../components/share-bar.tsx'
import { inShort } from '../../components/values.tsx'
import { showPercent } from '../../values/numbers.ts'
import { waitText } from '../base/age.ts'
import { labelOf, wordOf } from '../base/words.ts'
import { RemovedNames } from './changed.tsx'
import { tabPath } from './tabs.ts'

export const verificationOf = (
  { application }: KybUnderReview,
  { external_id: id }: Beneficiary,
): Verification => application.links.get(id)?.verification ?? 'initiated'

/** The maximum number of people that the summary of the case shows. */
const AT_ONE_GLANCE = 6

export const titleOf = (person: object): string => {
  const { full_name: name, email } = person as Readonly<Record<string, unknown>>
  return inShort(String(name ?? email))
}

/** Returns the name of a removed person. If Gatehouse has deleted the name, returns "person" instead. */
export const titleOfRemoved = ({ t }: Frame, person: object): string =>
  (person as { email?: unknown }).email ? titleOf(person) : t('console.timeline.person')

export function Owners({ frame, frame: { t }, review }: { frame: Frame; review: KybUnderReview }) {
  const { content, checks } = review.application
  const people = content.beneficiaries.beneficiaries_list
  const { holders, missing, isOfOthers } = sharesOf(people)
  const shares = holders.map(({ person, share }) => ({
    name: titleOf(person),
    percent: share,
    text: showPercent(share, frame.language),
  }))
  return (
    <section class="case-part" aria-labelledby="owners-title">
      <h2 id="owners-title">{t('console.tab.owners')}</h2>
      {shares.length > 0 ? <ShareBar shares={shares} hasLegend={false} /> : null}
      {shares.length > 0 && missing > 0 ? (
        <p class={isOfOthers ? 'small quiet' : 'small tone-warning'}>
          {t(isOfOthers ? 'owners.shares.others' : 'owners.shares.missing', {
            share: showPercent(missing, frame.language),
          })}
        </p>
      ) : null}
      {people.length === 0 ? <EmptyState icon="users" text={t('console.people.none')} /> : null}
      <ul class="list owners">
        {people.slice(0, AT_ONE_GLANCE).map((person) => {
          const { external_id: id, stake_in_company: stake } = person
          const name = titleOf(person)
          const verification = verificationOf(review, person)
          return (
            <li key={id}>
              <Avatar name={name} isSmall />
              <a href={`${tabPath(consolePath('kyb', review.application.id), 'owners')}#${id}-title`}>
                {name}
              </a>
              <Glyph state={GLYPHS[verification] ?? 'todo'} />
              <VerificationWord frame={frame} verification={verification} />
              <Flag country={checks.get(id)?.profile.nationality} />
              {stake ? <span class="number">{showPercent(shareOf(person), frame.language)}</span> : null}
            </li>
          )
        })}
        {people.length > AT_ONE_GLANCE ? (
          <li class="quiet">{t('console.people.more', { count: people.length - AT_ONE_GLANCE })}</li>
        ) : null}
      </ul>
    </section>
  )
}

const GLYPHS: Partial<Record<Verification, GlyphState>> = {
  approved: 'done',
  attention: 'warning',
  rejected: 'refused',
}

const TONES: Partial<Record<Verification, string>> = {
  approved: 'tone-success',
  attention: 'tone-danger',
  rejected: 'tone-danger',
}

const VerificationWord = ({ frame, verification }: { frame: Frame; verification: Verification }) => (
  <span class={TONES[verification] ?? 'quiet'}>{wordOf(frame, 'console.status', verification)}</span>
)

/** Shows the status of the person's verification, and how the verified data differs from the application. */
export function PersonStatus(props: { frame: Frame; review: KybUnderReview; person: Beneficiary }) {
  const { frame, review, person } = props
  const { t } = frame
  const { external_id: id } = person
  const { current: check = null, earlier = [] } = review.checks.get(id) ?? {}
  const { content, checks } = review.application
  const isVerified = verifiedIn(content, checks).has(id)
  // The application contains only the name. All other data comes from the current check.
  const {
    name: _,
    surname: __,
    ...entered
  } = check?.verified && !isVerified ? {} : (checks.get(id)?.profile ?? {})
  const now: Profile = { ...entered, ...(person.full_name !== undefined && { full_name: person.full_name }) }
  const isNew = review.changes.some(
    ({ path, before }) => path === `beneficiaries.beneficiaries_list.${id}` && before === null,
  )
  return (
    <>
      <p>
        {isNew ? <Chip tone="accent">{t('console.changed.newPerson')}</Chip> : null} {t('console.check')}:{' '}
        <VerificationWord frame={frame} verification={verificationOf(review, person)} />
        {' · '}
        {check ? (
          <>
            <span class="quiet">
              {t('console.waitsFor')}: {waitText(frame, check.waitingOn, check.waitingSince)}
            </span>{' '}
            <a href={consolePath('identification', check.id)}>
              {t('console.check.open')}
              <span class="unseen">: {titleOf(person)}</span>
            </a>
          </>
        ) : (
          <span class="quiet">{t('console.check.none')}</span>
        )}
      </p>
      {[check, ...earlier].map((each) =>
        each?.verified && (each !== check || !isVerified) ? (
          <Verified key={each.id} frame={frame} verified={each.verified} checkId={each.id} now={now} />
        ) : null,
      )}
    </>
  )
}

/** Compares the person whom a check verified with the person whom the application names. */
function Verified(props: { frame: Frame; verified: Profile; checkId: string; now: Profile }) {
  const { frame, verified, checkId, now } = props
  const { t } = frame
  const { name = '', surname = '', ...others } = verified
  const rows = [['full_name', fullNameOf({ name, surname })] as const, ...Object.entries(others)]
  return (
    <div class="changed">
      <p>
        <Chip tone="warning">{t('console.verified.other')}</Chip>{' '}
        <a href={consolePath('identification', checkId)}>{t('console.check.open')}</a>
      </p>
      <table class="data-table">
        <thead>
          <tr>
            <th scope="col">{t('console.verified.field')}</th>
            <th scope="col">{t('console.verified.then')}</th>
            <th scope="col">{t('console.verified.now')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([field, value]) => (
            <tr key={field}>
              <th scope="row">{labelOf(t, field)}</th>
              <td>{textOf(frame, typeOf(field), value)}</td>
              <td>
                {now[field] === undefined ? t('check.notGiven') : textOf(frame, typeOf(field), now[field])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const TYPES: Fields = { ...PERSON_FIELDS.details, ...PERSON_FIELDS.document }
const typeOf = (field: string): FieldType => TYPES[field]?.type ?? 'text'

/** Returns true if the path is that of a person, not of one of the person's fields. */
export const isOfPerson = (path: string): boolean =>
  path.startsWith('beneficiaries.beneficiaries_list.') && path.split('.').length === 3

export function Removed({ frame, changes }: { frame: Frame; changes: readonly Change[] }) {
  const removed = changes.filter(({ after, path }) => after === null && isOfPerson(path))
  if (removed.length === 0) return null
  return (
    <RemovedNames
      t={frame.t}
      names={removed.map(({ before }) => titleOfRemoved(frame, before as object)).join(', ')}
    />
  )
}
