/** Component: the owners and directors with their shares, and how each proves their identity. */
import { type CheckProgress, identifiedIn, progressOfCheck } from '../../../domain/kyb/beneficiary-check.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import { type Item, isDone, itemsOf } from '../../../domain/kyb/progress.ts'
import { beneficiaryPath, PEOPLE_PATH } from '../../../domain/kyb/requirements.ts'
import { sharesOf } from '../../../domain/kyb/shares.ts'
import { Banner } from '../../components/banner.tsx'
import { Chip, type Tone } from '../../components/chip.tsx'
import { ChoiceLink } from '../../components/choice-card.tsx'
import { Questions } from '../../components/contact.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { roleOf } from '../../components/fields.tsx'
import { Avatar, Icon, type IconName } from '../../components/icon.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { Menu } from '../../components/menu.tsx'
import { RowText } from '../../components/row-text.tsx'
import { ShareBar } from '../../components/share-bar.tsx'
import { joinLabels } from '../../texts/index.ts'
import { showPercent, showQuantity } from '../../values/numbers.ts'
import { IdentityUploads, OtherUploads } from './identity-slots.tsx'
import { OwnLink } from './owner-link.tsx'
import {
  failedLink,
  isAwaited,
  nameOf,
  needyPerson,
  ownersOf,
  personPlace,
  WAYS,
  type Way,
  wayAddress,
  wayOf,
} from './sections.ts'
import { type CompanyVisit, commentOn } from './visit.ts'

export interface UnsealedPerson {
  readonly personId: string
  readonly way: Way
}

interface OwnersProps {
  readonly visit: CompanyVisit
  /** The person whose card is open. By default, the first one who needs an identity document. */
  readonly open?: UnsealedPerson | undefined
  readonly problems: readonly FieldProblem[]
}

export function Owners({ visit, open, problems }: OwnersProps) {
  const { frame, application, base } = visit
  const { t } = frame
  const people = ownersOf(application)
  const comment = commentOn(visit)(PEOPLE_PATH)
  const items = itemsOf(application)
  const identified = identifiedIn(application.content, application.checks)
  const needy = needyPerson(items)
  const shown = open ?? (needy === null ? null : { personId: needy, way: wayOf(application, needy) })
  return (
    <>
      {comment ? <p class="comment">{comment}</p> : null}
      <Shares visit={visit} />
      <div class="people" id={PEOPLE_PATH} tabIndex={-1}>
        {people.length === 0 ? <EmptyState icon="users" text={t('owners.none')} /> : null}
        {people.map((person) => (
          <PersonCard
            key={person.external_id}
            visit={visit}
            person={person}
            item={items.find((each) => each.kind === 'person' && each.personId === person.external_id)}
            check={identified.has(person.external_id) ? progressIn(visit, person) : 'open'}
            way={shown?.personId === person.external_id ? shown.way : null}
            problems={problems}
          />
        ))}
        <a class="add-person" href={`${base}/owners/new`}>
          <span class="tile tile-round">
            <Icon name="plus" size={20} />
          </span>
          {t('owners.add')}
        </a>
      </div>
    </>
  )
}

/** Returns the error if the shares add up to more than 100%, or null otherwise. */
export function sharesError({ frame, application }: CompanyVisit): string | null {
  const { total, isOver } = sharesOf(ownersOf(application))
  return isOver ? frame.t('owners.shares.over', { total: showPercent(total, frame.language) }) : null
}

function Shares({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const { holders, missing, isComplete, withoutRole, ...shares } = sharesOf(ownersOf(application))
  const isOfOthers = shares.isOfOthers || application.content.beneficiaries.shareholders_confirmation === true
  if (holders.length === 0) return null
  const error = sharesError(visit)
  return (
    <section class="card shares" aria-labelledby="shares-title">
      <div class="shares-head">
        <h2 id="shares-title">{t('owners.shares')}</h2>
        {isComplete ? (
          <Chip tone="success" icon="check">
            {t('owners.shares.full')}
          </Chip>
        ) : error === null ? (
          <Chip tone={isOfOthers ? 'accent' : 'warning'} icon={isOfOthers ? undefined : 'circle-alert'}>
            {t(isOfOthers ? 'owners.shares.others' : 'owners.shares.missing', {
              share: showPercent(missing, frame.language),
            })}
          </Chip>
        ) : null}
      </div>
      <ShareBar
        shares={holders.map(({ person, share }) => ({
          name: nameOf(person),
          percent: share,
          text: showPercent(share, frame.language),
        }))}
      />
      {isOfOthers && !isComplete && error === null ? (
        <p class="row-note">{t('owners.shares.others.text')}</p>
      ) : null}
      {error === null ? null : <Banner tone="danger" title={error} />}
      {withoutRole.map((person) => (
        <Banner
          key={person.external_id}
          tone="warning"
          title={t('owners.shares.role', { name: nameOf(person), role: roleOf(t, 'ubo') })}
        >
          <a href={`${base}/owners/${person.external_id}#${beneficiaryPath(person.external_id, 'roles')}`}>
            {t('owners.change', { name: nameOf(person) })}
          </a>
        </Banner>
      ))}
    </section>
  )
}

const progressIn = ({ application }: CompanyVisit, { external_id }: Beneficiary): CheckProgress => {
  const check = application.checks.get(external_id)
  return check ? progressOfCheck(check) : 'open'
}

interface PersonCardProps {
  readonly visit: CompanyVisit
  readonly person: Beneficiary
  readonly item: Item | undefined
  /** How far the person's own verification has come, or `open` if it does not count. */
  readonly check: CheckProgress
  /** The selected way to prove the identity, or null if the card is closed. */
  readonly way: Way | null
  readonly problems: readonly FieldProblem[]
}

function PersonCard({ visit, person, item, check, way, problems }: PersonCardProps) {
  const { frame, base } = visit
  const { t } = frame
  const name = nameOf(person)
  const href = `${base}/owners/${person.external_id}`
  const prove = wayAddress(base, person.external_id, wayOf(visit.application, person.external_id))
  const isOver = sharesError(visit) !== null
  const isOpen = way === null && check === 'open' && item !== undefined && !isDone(item)
  return (
    <article
      class={way ? 'card person person-open' : 'card person'}
      id={personPlace(person.external_id)}
      data-whole
    >
      <div class="person-head">
        <Avatar name={name} />
        <RowText
          href={href}
          name={name}
          note={joinLabels(
            frame.language,
            (person.roles ?? []).map((role) => roleOf(t, role)),
          )}
        />
        {person.stake_in_company ? (
          <span class={isOver ? 'number number-wrong' : 'number'}>
            {isOver ? <Icon name="circle-alert" /> : null}
            {showQuantity('percentage_text', person.stake_in_company, frame.language)}
          </span>
        ) : null}
        <PersonChip
          visit={visit}
          item={item}
          check={check}
          href={isOpen ? (item.needsOnlyFiles ? prove : href) : undefined}
        />
        <Menu label={t('owners.menu', { name })}>
          <a href={href}>
            <Icon name="pencil" />
            {t('owners.change', { name })}
          </a>
          {check !== 'open' ? null : (
            <a href={prove}>
              <Icon name="id-card" />
              {t('owners.prove.menu')}
            </a>
          )}
          <a href={`${href}/remove`}>
            <Icon name="trash-2" />
            {t('owners.remove', { name })}
          </a>
        </Menu>
      </div>
      {way ? <Identity {...{ visit, person, check, way, problems }} /> : null}
    </article>
  )
}

function PersonChip(
  props: Pick<PersonCardProps, 'visit' | 'item' | 'check'> & { readonly href: string | undefined },
) {
  const [tone, icon, text] = chipOf(props)
  return (
    <Chip tone={tone} icon={icon} href={props.href}>
      {text}
    </Chip>
  )
}

/** Returns what the person or the applicant must do next, or how far the verification has come. */
function chipOf({
  visit,
  item,
  check,
}: Pick<PersonCardProps, 'visit' | 'item' | 'check'>): [Tone, IconName | undefined, text: string] {
  const { t } = visit.frame
  if (item?.isToFix) return ['warning', undefined, t('status.problem')]
  if (check === 'approved') return ['success', 'check', t('owners.verified')]
  if (check === 'submitted') return ['accent', 'clock', t('owners.submitted')]
  if (!item || isDone(item)) return ['success', 'check', t('owners.idAdded')]
  if (item.kind === 'person' && isAwaited(visit.application, item.personId))
    return ['accent', 'hourglass', t('owners.awaited')]
  if (!item.needsOnlyFiles) return ['accent', undefined, t('task.left', { left: item.open.length })]
  const missing = visit.due.find(({ path }) => item.open.includes(path))?.reason
  const isSide = missing === 'front_missing' || missing === 'back_missing'
  return ['warning', 'id-card', t(isSide ? `owners.${missing}` : 'owners.idNeeded')]
}

const WAY_ICONS = { upload: 'id-card', passport: 'book-user', link: 'link' } as const satisfies Record<
  Way,
  IconName
>

/** Shows the ways to prove the identity as links, so that the choice needs no script. */
function Identity({ visit, person, check, way, problems }: Omit<PersonCardProps, 'item'> & { way: Way }) {
  const { frame, base } = visit
  const { t } = frame
  const id = person.external_id
  const failed = failedLink(visit.application, id)
  if (check !== 'open')
    return (
      <div class="person-body">
        <p>{t(check === 'approved' ? 'owners.link.verified' : 'owners.link.submitted')}</p>
      </div>
    )
  return (
    <div class="person-body">
      <div>
        <h3>{t('owners.prove', { name: nameOf(person) })}</h3>
        {failed ? null : <p class="row-note">{t('owners.prove.text')}</p>}
      </div>
      {failed ? (
        <Banner tone="danger" title={t(`owners.link.${failed}`)}>
          <p>
            <Questions frame={frame} />
          </p>
        </Banner>
      ) : null}
      {WAYS.filter((each) => each !== 'link' || !failed).map((each) => (
        <div key={each} class={each === way ? 'way-chosen' : undefined}>
          <ChoiceLink
            href={wayAddress(base, id, each)}
            isChosen={each === way}
            label={t(`owners.way.${each}`)}
            text={t(`owners.way.${each}.text`)}
            icon={WAY_ICONS[each]}
          />
          {each !== way ? null : way === 'link' ? (
            <OwnLink visit={visit} person={person} />
          ) : (
            <IdentityUploads visit={visit} person={person} way={way} problems={problems} />
          )}
        </div>
      ))}
      {way === 'link' ? null : <OtherUploads visit={visit} person={person} problems={problems} />}
    </div>
  )
}
