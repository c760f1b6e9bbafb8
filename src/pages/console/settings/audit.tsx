/** What administrators did: who, when, from where. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { type AuditEntry, type AuditFilter, listAudit } from '../../../db/audit.ts'
import { readEmails } from '../../../db/user.ts'
import { readVaultNames } from '../../../db/vault.ts'
import { AUDIT_ACTIONS, type Changes } from '../../../domain/audit.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { sendPage } from '../../answer.tsx'
import type { Frame } from '../../layout.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { FRESH, Input, labelOf, Select } from './form.tsx'
import { BASE, momentOf, Pager, PER_PAGE, pageOf, Settings, Table } from './shell.tsx'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000

/** As the address says it; what it says wrongly is as if it were not said. */
type Asked = Readonly<Record<'actor' | 'action' | 'vault_id' | 'from' | 'to', string>>

function askedOf({ query }: Request): Asked {
  const text = (name: string) => String(query[name] ?? '').slice(0, 100)
  const day = (name: string) =>
    DAY.test(text(name)) && !Number.isNaN(Date.parse(text(name))) ? text(name) : ''
  return {
    actor: text('actor'),
    action: AUDIT_ACTIONS.find((action) => action === query.action) ?? '',
    vault_id: isUuid(text('vault_id')) ? text('vault_id') : '',
    from: day('from'),
    to: day('to'),
  }
}

const filterOf = ({ actor, action, vault_id, from, to }: Asked): AuditFilter => ({
  actor: actor || undefined,
  action: AUDIT_ACTIONS.find((each) => each === action),
  vaultId: vault_id || undefined,
  from: from ? new Date(from) : undefined,
  before: to ? new Date(Date.parse(to) + DAY_MS) : undefined,
})

function hrefOf(asked: Asked, page = 1): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '')
  const query = new URLSearchParams([...given, ...(page > 1 ? [['page', String(page)]] : [])])
  return `${BASE}/audit?${query}`
}

export async function showAudit(
  { db }: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const asked = askedOf(req)
  const page = pageOf(req.query)
  const { entries, totalCount } = await listAudit(db, { page, per_page: PER_PAGE }, filterOf(asked))
  const vaults = await readVaultNames(db)
  const people = entries.flatMap(({ actor, subject, subjectId }) => [
    personOf(actor),
    subject === 'user' ? subjectId : null,
  ])
  const emails = await readEmails(db, [...new Set(people.filter((id) => id !== null))])
  const names: Names = { vaults, emails }
  const columns = ['at', 'actor', 'action', 'changes'].map((column) => labelOf(t, `audit.${column}`))
  const rows = entries.map((entry) => ({
    key: entry.id,
    cells: [
      <time dateTime={entry.createdAt.toISOString()}>{momentOf(frame, entry.createdAt)}</time>,
      <Actor frame={frame} names={names} entry={entry} asked={asked} />,
      <Done frame={frame} names={names} entry={entry} />,
      <ChangeList frame={frame} names={names} changes={entry.changes} />,
    ],
  }))
  sendPage(
    res,
    200,
    <Settings visit={visit} section="audit" title={t('settings.audit')}>
      <Filters frame={frame} asked={asked} names={names} />
      <p class="quiet">
        {t('settings.audit.count', { count: totalCount })} · {t('settings.utc')}
      </p>
      {rows.length === 0 ? <p>{t('settings.audit.none')}</p> : null}
      {rows.length === 0 ? null : <Table caption={t('settings.audit')} columns={columns} rows={rows} />}
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => hrefOf(asked, to)} />
    </Settings>,
  )
}

interface Names {
  readonly vaults: ReadonlyMap<string, string>
  readonly emails: ReadonlyMap<string, string>
}

/** The id of whoever signed in; null for keys and programs. */
const personOf = (actor: string): string | null => /^(?:operator|user):(.+)$/.exec(actor)?.[1] ?? null

const actorName = ({ t }: Frame, { emails }: Names, actor: string): string => {
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
    <a href={hrefOf({ ...asked, actor })}>{actorName(frame, names, actor)}</a>
    {address === null ? null : <span class="quiet"> {address}</span>}
  </>
)

function Done({ frame: { t }, names, entry: { action, count, subject, subjectId, vaultId } }: EntryProps) {
  const vault =
    vaultId === null ? null : <a href={`${BASE}/vaults/${vaultId}`}>{names.vaults.get(vaultId) ?? vaultId}</a>
  const person =
    subject === 'user' && subjectId !== null ? (
      <a href={`${BASE}/users/${subjectId}`}>{names.emails.get(subjectId) ?? subjectId}</a>
    ) : null
  return (
    <>
      {t(`settings.action.${action}`)}
      {count > 1 ? ` (${t('settings.times', { count })})` : null} {vault ?? person}
    </>
  )
}

function ChangeList({ frame, names, changes }: { frame: Frame; names: Names; changes: Changes }) {
  const entries = Object.entries(changes)
  if (entries.length === 0) return null
  return (
    <ul class="changes">
      {entries.map(([name, { from, to }]) => (
        <li key={name}>
          {labelOf(frame.t, name)}
          {from === undefined && to === undefined ? null : ': '}
          {from === undefined || from === null ? null : <del>{valueText(frame, names, from)}</del>}{' '}
          {to === undefined || to === null ? null : <ins>{valueText(frame, names, to)}</ins>}
        </li>
      ))}
    </ul>
  )
}

/** Whatever JSON holds, in few words. */
function valueText(frame: Frame, names: Names, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => valueText(frame, names, each)).join(', ') || '–'
  if (typeof value === 'boolean') return frame.t(value ? 'page.yes' : 'page.no')
  if (typeof value !== 'object' || value === null) return String(value)
  const { id, roles } = value as { id?: string; roles?: unknown }
  return `${names.vaults.get(id ?? '') ?? id} (${valueText(frame, names, roles)})`
}

interface FiltersProps {
  readonly frame: Frame
  readonly asked: Asked
  readonly names: Names
}

function Filters({ frame, asked, names }: FiltersProps) {
  const { t } = frame
  const about = { frame, again: FRESH }
  const all = t('console.kind.all')
  return (
    <form method="get" action={`${BASE}/audit`} class="filter-form">
      <Select
        {...about}
        name="action"
        none={all}
        options={AUDIT_ACTIONS.map((value) => ({ value, label: t(`settings.action.${value}`) }))}
        chosen={[asked.action]}
      />
      <Select
        {...about}
        name="vault_id"
        none={all}
        options={[...names.vaults].map(([value, label]) => ({ value, label }))}
        chosen={[asked.vault_id]}
      />
      <Input {...about} name="from" type="date" value={asked.from} />
      <Input {...about} name="to" type="date" value={asked.to} />
      {asked.actor === '' ? null : (
        <p>
          <input type="hidden" name="actor" value={asked.actor} />
          {labelOf(t, 'audit.actor')}: {actorName(frame, names, asked.actor)}{' '}
          <a href={hrefOf({ ...asked, actor: '' })}>{t('settings.audit.everybody')}</a>
        </p>
      )}
      <button type="submit">{t('settings.filter')}</button>
    </form>
  )
}
