/** Page: the audit trail of administrative actions. */
import type { Request } from 'express'
import { validate as isUuid } from 'uuid'
import { text } from '../../../contracts/common.ts'
import {
  AUDIT_ACTIONS,
  type AuditEntry,
  type AuditFilter,
  type Changes,
  personOf,
} from '../../../domain/access/audit.ts'
import { vaultsFor } from '../../../domain/access/grant.ts'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import { exportAudit, listNamedAudit, MAX_EXPORTED_ENTRIES } from '../../../use-cases/access/audit.ts'
import type { Names as NamesById } from '../../../use-cases/access/names.ts'
import { ButtonLink } from '../../components/button.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendCsv } from '../base/csv.ts'
import { readDay } from '../base/day-filter.tsx'
import { Choice, Day, FilterForm, type Option } from '../base/filter-form.tsx'
import { labelOf } from '../base/form.ts'
import { CaseLink, List, PER_PAGE } from '../base/parts.tsx'
import type { ConsoleVisit } from '../base/visit.ts'
import { momentOf } from '../base/words.ts'
import type { Ask, Reply } from './ask.ts'
import { BASE } from './sections.ts'
import { valueText } from './value-text.ts'

const words = text(100)

/** The filter in the address, without its invalid parameters. */
type Asked = Readonly<Record<'actor' | 'action' | 'vault_id' | 'from' | 'to', string>>

export function askedOf({ query }: Request): Asked {
  const word = (name: string) => words.safeParse(query[name]).data ?? ''
  return {
    actor: word('actor'),
    action: AUDIT_ACTIONS.find((action) => action === query.action) ?? '',
    vault_id: isUuid(word('vault_id')) ? word('vault_id') : '',
    from: readDay(query.from).day ?? '',
    to: readDay(query.to).day ?? '',
  }
}

export const filterOf = (visit: ConsoleVisit, { actor, action, vault_id, from, to }: Asked): AuditFilter => ({
  actor: actor || undefined,
  action: AUDIT_ACTIONS.find((each) => each === action),
  scope: vaultsFor(visit, 'read_settings', vault_id || undefined),
  from: readDay(from).from,
  before: readDay(to).before,
})

export function auditHref(asked: Partial<Asked>, page = 1, path = '/audit'): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '')
  const query = new URLSearchParams([...given, ...(page > 1 ? [['page', String(page)]] : [])])
  return `${BASE}${path}?${query}`
}

export async function auditPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page } = ask
  const asked = askedOf(ask.req)
  const filter = filterOf(visit, asked)
  const list = await listNamedAudit(deps, visit, filter, { page, per_page: PER_PAGE })
  const { entries, totalCount, ...names } = list
  return {
    section: 'audit',
    title: t('settings.audit'),
    lead: (
      <>
        {t('settings.audit.count', { count: totalCount })} · {t('settings.utc')}
      </>
    ),
    tools: (
      <>
        <ButtonLink
          kind="secondary"
          icon="download"
          href={auditHref(asked, 1, '/audit/export')}
          title={t('settings.audit.csv', { count: MAX_EXPORTED_ENTRIES })}
          download
        >
          {t('console.cases.csv')}
        </ButtonLink>
        <ButtonLink kind="secondary" href={`${BASE}/audit/reads`}>
          {t('settings.reads')}
        </ButtonLink>
      </>
    ),
    children: (
      <>
        <Filters frame={frame} asked={asked} names={names} />
        <List
          ask={ask}
          class="audit-rows"
          rows={entries}
          keyOf={({ id }) => id}
          none="settings.audit.none"
          icon="scroll-text"
          totalCount={totalCount}
          hrefOf={(to) => auditHref(asked, to)}
          columns={[
            {
              key: 'audit.at',
              cell: ({ createdAt }) => (
                <time class="number" dateTime={createdAt.toISOString()}>
                  {momentOf(frame, createdAt)}
                </time>
              ),
            },
            {
              key: 'audit.actor',
              class: 'address',
              cell: (entry) => <Actor frame={frame} names={names} entry={entry} asked={asked} />,
            },
            {
              key: 'audit.action',
              class: 'action words',
              cell: (entry) => <Done ask={ask} names={names} entry={entry} />,
            },
            {
              key: 'audit.changes',
              class: 'changes',
              cell: ({ changes }) => <ChangeList frame={frame} names={names} changes={changes} />,
            },
          ]}
        />
      </>
    ),
  }
}

/** Sends the newest entries that match the filter, with the values of the API and the names of actors and vaults. */
export async function sendAudit({ deps, visit, by, frame, req, res }: Ask): Promise<void> {
  const { entries, ...names } = await exportAudit(deps, visit, by, filterOf(visit, askedOf(req)))
  sendCsv(
    res,
    'audit',
    entries.map(({ createdAt, actor, address, action, count, subject, subjectId, vaultId, changes }) => ({
      created_at: createdAt.toISOString(),
      actor,
      actor_name: actorName(frame, names, actor),
      ip_address: address,
      action,
      count,
      subject,
      subject_id: subjectId,
      vault_id: vaultId,
      vault_name: (vaultId && names.vaults.get(vaultId)) ?? null,
      changes: JSON.stringify(changes),
    })),
  )
}

interface Names {
  readonly vaults: NamesById
  readonly emails: NamesById
}

export const actorName = ({ t }: Frame, { emails }: Pick<Names, 'emails'>, actor: string): string => {
  const known = emails.get(personOf(actor) ?? '')
  if (known !== undefined) return known
  const [kind = '', id] = actor.split(':')
  return [labelOf(t, `actor.${kind}`), id].filter(Boolean).join(' ')
}

interface EntryProps {
  readonly frame: Frame
  readonly names: Names
  readonly entry: AuditEntry
}

const Actor = ({ frame, names, entry: { actor, address }, asked }: EntryProps & { asked: Asked }) => (
  <>
    <a href={auditHref({ ...asked, actor })}>{actorName(frame, names, actor)}</a>
    {address === null ? null : <span class="quiet"> {address}</span>}
  </>
)

function Done({ ask, names, entry }: Omit<EntryProps, 'frame'> & { ask: Ask }) {
  const { t } = ask
  const { actor, action, count, subject, subjectId, vaultId } = entry
  const vault =
    vaultId === null ? null : <a href={`${BASE}/vaults/${vaultId}`}>{names.vaults.get(vaultId) ?? vaultId}</a>
  const person =
    subject === 'user' && subjectId !== null && subjectId !== personOf(actor) ? (
      <a href={`${BASE}/users/${subjectId}`}>{names.emails.get(subjectId) ?? subjectId}</a>
    ) : null
  const entity = ENTITY_KINDS.find((kind) => kind === subject)
  const found =
    entity !== undefined && subjectId !== null ? (
      <CaseLink ask={ask} entity={entity} id={subjectId} vaultId={vaultId}>
        {subjectId}
      </CaseLink>
    ) : null
  return (
    <>
      {t(`settings.action.${action}`)}
      {count > 1 ? ` (${t('settings.times', { count })})` : null} {found ?? vault ?? person}
    </>
  )
}

function ChangeList({ frame, names, changes }: { frame: Frame; names: Names; changes: Changes }) {
  const entries = Object.entries(changes).filter(
    // Shows secret settings without their values. Omits values that are empty before and after.
    ([, { from, to }]) => (from === undefined && to === undefined) || !(isNothing(from) && isNothing(to)),
  )
  if (entries.length === 0) return null
  return (
    <ul class="list">
      {entries.map(([name, { from, to }]) => (
        <li key={name}>
          {labelOf(frame.t, name)}
          {from === undefined && to === undefined ? null : ': '}
          {isNothing(from) ? null : <del>{valueText(frame, names.vaults, name, from)}</del>}{' '}
          {isNothing(to) ? null : <ins>{valueText(frame, names.vaults, name, to)}</ins>}
        </li>
      ))}
    </ul>
  )
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

interface VaultAndPeriodProps {
  readonly frame: Frame
  readonly asked: Pick<Asked, 'vault_id' | 'from' | 'to'>
  readonly vaults: NamesById
}

export const VaultAndPeriod = ({ frame: { t }, asked, vaults }: VaultAndPeriodProps) => (
  <>
    <Choice
      name="vault_id"
      label={t('console.filter.vault_id')}
      chosen={asked.vault_id}
      options={[['', t('console.any')], ...vaults]}
    />
    <Day name="from" label={t('settings.from')} value={asked.from} />
    <Day name="to" label={t('settings.to')} value={asked.to} />
  </>
)

function Filters({ frame, frame: { t }, asked, names }: { frame: Frame; asked: Asked; names: Names }) {
  const any: Option = ['', t('console.any')]
  return (
    <FilterForm frame={frame} action={`${BASE}/audit`}>
      <Choice
        name="action"
        label={t('settings.action')}
        chosen={asked.action}
        options={[any, ...AUDIT_ACTIONS.map((value): Option => [value, t(`settings.action.${value}`)])]}
      />
      <VaultAndPeriod frame={frame} asked={asked} vaults={names.vaults} />
      {asked.actor === '' ? null : (
        <p>
          <input type="hidden" name="actor" value={asked.actor} />
          {labelOf(t, 'audit.actor')}: {actorName(frame, names, asked.actor)}{' '}
          <a href={auditHref({ ...asked, actor: '' })}>{t('settings.audit.allActors')}</a>
        </p>
      )}
    </FilterForm>
  )
}
