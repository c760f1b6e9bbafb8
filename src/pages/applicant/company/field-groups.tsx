/** Component: the groups of a section's fields, each in a card with its status. */
import { forPage } from '../../../domain/fields/condition.ts'
import { isAsked, type Field as Row } from '../../../domain/fields/field.ts'
import { KYB_FIELDS, type Section } from '../../../domain/kyb/fields.ts'
import { type Group, type GroupName, groupsOf } from '../../../domain/kyb/groups.ts'
import { requiredFields, valueIn } from '../../../domain/kyb/requirements.ts'
import { Tile } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { InPairs, type Pairs, type RefusedForm } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { CompanyField, isToFix } from './company-field.tsx'
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
  company_registration_id: 'equal',
  company_type: 'equal',
  postal_code_address: 'short',
  phone: 'equal',
  trx_count_monthly: 'equal',
}

interface GroupsProps extends RefusedForm {
  readonly visit: CompanyVisit
  readonly section: Section
}

export function FieldGroups({ visit, section, problems = [], typed = {} }: GroupsProps) {
  return (
    <>
      {groupsOf(section).map((group) => (
        <GroupCard
          key={group.name}
          visit={visit}
          section={section}
          group={group}
          problems={problems}
          typed={typed}
        />
      ))}
    </>
  )
}

interface GroupProps extends Required<RefusedForm> {
  readonly visit: CompanyVisit
  readonly section: Section
  readonly group: Group
}

/** Shows a group. On a phone, a group without open items is closed. A large screen shows all groups. */
function GroupCard(props: GroupProps) {
  const { visit, section, group, problems } = props
  const { frame, application } = visit
  const { t } = frame
  const paths = group.fields.map((field) => `${section}.${field}`)
  const isOf = (path: string) => paths.includes(path)
  const left = application.currentlyDue.filter(isOf).length
  const toFix = application.corrections.filter(({ path }) => isOf(path)).length
  const status =
    toFix > 0 ? t('task.toFix', { count: toFix }) : left > 0 ? t('task.left', { left }) : t('task.done')
  const isFinished = left + toFix === 0 && !problems.some(({ field }) => isOf(field))
  return (
    <details class="card group" open={!isFinished} {...(isFinished && { 'data-finished': true })}>
      <summary class="card-head">
        <span class={isFinished ? 'wide-only' : undefined}>
          <Tile icon={ICONS[group.name]} />
        </span>
        {isFinished ? (
          <span class="small-only">
            <Tile icon="check" tone="success" />
          </span>
        ) : null}
        <span class="card-name">
          <h2>{t(`group.${group.name}`)}</h2>
          <span class="row-note wide-only">{t(`group.${group.name}.text`)}</span>
          <span class="row-note small-only">{status}</span>
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
      <div class="card-body fields">
        <InPairs
          names={group.fields}
          pairs={PAIRS}
          isWide={(name) => isToFix(visit, `${section}.${name}`)}
          show={(name) => <Question key={name} {...props} name={name} />}
        />
      </div>
    </details>
  )
}

interface QuestionProps extends Required<RefusedForm> {
  readonly visit: CompanyVisit
  readonly section: Section
  readonly name: string
}

function Question({ visit, section, name, problems, typed }: QuestionProps) {
  const { content } = visit.application
  const field = (KYB_FIELDS[section] as Readonly<Record<string, Row>>)[name] as Row
  const path = `${section}.${name}`
  const shown = (
    <CompanyField
      {...{ visit, path, name, field, problems, typed }}
      stored={valueIn(content, path)}
      // A question that appears only if it is required is never optional.
      required={
        requiredFields(section, content).includes(name) ||
        (field.asked !== undefined && field.required !== undefined)
      }
    />
  )
  if (field.asked === undefined || isToFix(visit, path)) return shown
  const answers = { valueAt: (at: string) => (at in typed ? typed[at] : valueIn(content, at)) }
  const asked = forPage(field.asked, answers, (at) => at.startsWith(`${section}.`))
  const isShown =
    isAsked(field, answers) || problems.some((each) => each.field === path) || commentOn(visit)(path) !== null
  return (
    <div class="conditional" data-asked={JSON.stringify(asked)} hidden={!isShown}>
      {shown}
    </div>
  )
}
