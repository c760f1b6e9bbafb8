/** Component: the groups of a section's fields, each in a card with its status. */
import { factsWith } from '../../../domain/fields/condition.ts'
import { isYesOrNo } from '../../../domain/fields/field.ts'
import type { Section } from '../../../domain/kyb/fields.ts'
import { factsOf, fieldAt } from '../../../domain/kyb/form.ts'
import { type Group, type GroupName, groupsOf } from '../../../domain/kyb/groups.ts'
import { requiredPaths } from '../../../domain/kyb/requirements.ts'
import { type AddressCountry, addressLabel, inAddressOrder, wholeAddress } from '../../components/address.ts'
import { Tile } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { Field, FieldLabel, textOf } from '../../components/fields.tsx'
import { InPairs, type Pairs, type RefusedForm } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { proposedOr } from '../../components/proposed.ts'
import { Conditional, offersOf } from '../../components/question.tsx'
import { inShort } from '../../components/values.tsx'
import { isEmpty } from '../../values/form-values.ts'
import { RestOfForm } from '../base/revision-list.tsx'
import { countFixes, fixBoxOf, isToFix, splitForm } from './fix-box.tsx'
import { pageOf, typedFields } from './sections.ts'
import { type CompanyVisit, commentOn } from './visit.ts'

const ICONS: Readonly<Record<GroupName, IconName>> = {
  registration: 'building-2',
  address: 'map-pin',
  activity: 'briefcase',
  purpose: 'wallet',
  payments: 'banknote',
  funds: 'landmark',
  confirmation: 'list-checks',
  signature: 'scroll-text',
}

const PAIRS: Pairs = {
  'nature_of_business.company_registration_id': 'equal',
  'nature_of_business.postal_code_address': 'short',
  'nature_of_business.phone': 'equal',
  'usage_of_account.trx_count_monthly': 'equal',
}

/** Returns the country of the company's address, or the country of its registration. */
const addressCountry = ({ content }: CompanyVisit['application']): AddressCountry => {
  const { country_address, country_of_incorporation } = content.nature_of_business
  return country_address ?? country_of_incorporation
}

interface GroupsProps extends RefusedForm {
  readonly visit: CompanyVisit
  readonly section: Section
}

export function FieldGroups({ visit, section, problems = [], typed = {} }: GroupsProps) {
  const { form } = visit.application
  const groups = groupsOf(form, section)
  const fields = typedFields(visit.application, section)
  const box = fixBoxOf(visit, countFixes(visit, Object.keys(fields)))
  const parts = { visit, section, required: requiredOf(visit), problems, typed, box }
  const split = splitForm(visit, { fields, problems })
  if (split === null)
    return (
      <>
        {groups.map((group) => (
          <GroupCard key={group.name} {...parts} group={group} />
        ))}
      </>
    )
  const paths = groups.flatMap((group) => group.paths)
  return (
    <>
      <div class="fields">
        {paths
          .filter((path) => path in split.open)
          .map((path) => (
            <Question key={path} {...parts} path={path} />
          ))}
      </div>
      <RestOfForm frame={visit.frame}>
        {groups
          .map((group) => ({ ...group, paths: group.paths.filter((path) => path in split.rest) }))
          .filter((group) => group.paths.length > 0)
          .map((group) => (
            <section key={group.name} class="card-body fields">
              <h2>{visit.frame.t(`group.${group.name}`)}</h2>
              <Questions {...parts} group={group} />
            </section>
          ))}
      </RestOfForm>
    </>
  )
}

interface GroupProps extends Required<RefusedForm> {
  readonly visit: CompanyVisit
  readonly section: Section
  readonly group: Group
  readonly required: ReadonlySet<string>
  readonly box: ReturnType<typeof fixBoxOf>
}

const standingOf = ({ application }: CompanyVisit, { paths }: Group) => ({
  left: application.currentlyDue.filter((path) => paths.includes(path)).length,
  toFix: application.corrections.filter(({ path }) => paths.includes(path)).length,
})

const isFinished = ({
  visit,
  group,
  problems,
}: Pick<GroupProps, 'visit' | 'group' | 'problems'>): boolean => {
  const { left, toFix } = standingOf(visit, group)
  return left + toFix === 0 && !problems.some(({ field }) => group.paths.includes(field))
}

/** The maximum length of a group's values, which is about two lines on a phone. */
const MAX_VALUES_LENGTH = 80

/**
 * Returns the first values of a group, countries last. The parts of an address are in the lines of their country. Omits
 * yes and no, which need their question.
 */
function valuesText({ frame, application }: CompanyVisit, { paths }: Group): string {
  const { form, content } = application
  const { valueAt } = factsOf(form, content)
  const isCountry = (path: string) => fieldAt(form, path)?.type === 'country'
  const address = wholeAddress(paths, Object.fromEntries(paths.map((path) => [path, valueAt(path)])))
  const texts = paths
    .toSorted((a, b) => Number(isCountry(a)) - Number(isCountry(b)))
    .flatMap((path) => {
      const field = fieldAt(form, path)
      const value = valueAt(path)
      if (!field || isYesOrNo(field.type) || isEmpty(value)) return []
      if (address?.names.includes(path)) return path === address.names[0] ? address.lines : []
      return inShort(textOf(frame, field.type, value, field.currency))
    })
  const shown = texts.filter(
    (_, n) => n === 0 || texts.slice(0, n + 1).join(', ').length <= MAX_VALUES_LENGTH,
  )
  return shown.join(', ') + (shown.length < texts.length ? ' …' : '')
}

/** Shows a group. On a phone, a group without open items is closed. A large screen shows all groups. */
function GroupCard(props: GroupProps) {
  const isClosed = isFinished(props)
  return (
    <details class="card group" open={!isClosed} {...(isClosed && { 'data-finished': true })}>
      <GroupHead {...props} />
      <div class="card-body fields">
        <Questions {...props} />
      </div>
    </details>
  )
}

const Questions = (props: GroupProps) => (
  <InPairs
    names={inAddressOrder(addressCountry(props.visit.application), props.group.paths)}
    pairs={PAIRS}
    isWide={(path) => isToFix(props.visit, path)}
    show={(path) => <Question key={path} {...props} path={path} />}
  />
)

export const headOf = ({ name }: Group): string => `group-${name}-head`

export function GroupHead(props: Pick<GroupProps, 'visit' | 'group' | 'problems'>) {
  const { visit, group } = props
  const { t } = visit.frame
  const { left, toFix } = standingOf(visit, group)
  const isDone = isFinished(props)
  const values = isDone ? valuesText(visit, group) : ''
  const status =
    toFix > 0 ? t('task.toFix', { count: toFix }) : left > 0 ? t('task.left', { left }) : t('task.done')
  return (
    <summary class="card-head" id={headOf(group)}>
      <span class={isDone ? 'wide-only' : undefined}>
        <Tile icon={ICONS[group.name]} />
      </span>
      {isDone ? (
        <span class="small-only">
          <Tile icon="check" tone="success" />
        </span>
      ) : null}
      <span class="card-name">
        <h2>{t(`group.${group.name}`)}</h2>
        <span class="row-note wide-only">{t(`group.${group.name}.text`)}</span>
        <span class="row-note small-only">
          {values ? <span class="unseen">{status} </span> : status}
          {values}
        </span>
      </span>
      <span class="wide-only">
        <Chip
          tone={toFix > 0 ? 'warning' : left > 0 ? 'accent' : 'success'}
          icon={toFix + left > 0 ? undefined : 'check'}
        >
          {status}
        </Chip>
      </span>
      <Icon name="chevron-down" size={20} />
    </summary>
  )
}

export const requiredOf = ({ application: { form, content } }: CompanyVisit): ReadonlySet<string> =>
  new Set(requiredPaths(form, content))

interface PathProps extends Pick<GroupProps, 'visit' | 'required'> {
  readonly path: string
}

/** Returns the label of a field, and whether it is required, for the current content. */
function questionOf({ visit: { application, frame }, path, required }: PathProps) {
  const [, name = ''] = path.split('.')
  return {
    name,
    label: addressLabel(frame.t, name, addressCountry(application)),
    required: required.has(path),
  }
}

export const QuestionLabel = (props: PathProps) => (
  <FieldLabel frame={props.visit.frame} path={props.path} {...questionOf(props)} />
)

type QuestionProps = PathProps & Pick<GroupProps, 'problems' | 'typed' | 'box'>

function Question({ visit, path, problems, typed, required, box }: QuestionProps) {
  const { frame, application } = visit
  const { form, content } = application
  const field = fieldAt(form, path)
  if (!field) return null
  const question = questionOf({ visit, path, required })
  const page = pageOf(application, path)
  const facts = factsOf(form, content)
  const answers = {
    facts: factsWith(facts, typed),
    inputOf: (at: string) => (pageOf(application, at) === page ? at : null),
  }
  const stored = facts.valueAt(path)
  const problem = problems.find((each) => each.field === path)
  const comment = commentOn(visit)(path)
  const shown = (
    <Field
      {...{ frame, path, field, stored, problem, comment, ...question }}
      value={path in typed ? typed[path] : proposedOr(stored, path, facts.valueAt)}
      offers={offersOf(field, answers)}
      // A question that appears only if it is required is never optional.
      required={question.required || (field.asked !== undefined && field.required !== undefined)}
    />
  )
  if (isToFix(visit, path)) return box(path, shown)
  return (
    <Conditional field={field} answers={answers} isKept={problem !== undefined || comment !== null}>
      {shown}
    </Conditional>
  )
}
