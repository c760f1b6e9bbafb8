/** Component: the table of the lists of cases. Each list chooses its columns. */
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { DetailedEntry, ListedEntry } from '../../../domain/review/queue.ts'
import type { Names } from '../../../use-cases/access/names.ts'
import { Button } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { textOf } from '../../components/fields.tsx'
import type { Frame } from '../../components/layout.tsx'
import { RowName } from '../../components/row-name.tsx'
import { inShort } from '../../components/values.tsx'
import {
  AgeCell,
  AssigneeCell,
  CaseSign,
  caseTitle,
  DecidedCell,
  DocumentsCell,
  ReasonCell,
  RiskCell,
  StatusCell,
} from './queue-cells.tsx'

/** The form to which the boxes of the rows belong. */
export const PICKED_FORM = 'picked'

type TableEntry = DetailedEntry & Partial<Pick<ListedEntry, 'decided' | 'matched'>>

export interface Shown {
  /** The names of vaults, keyed by ID. */
  readonly vaults: Names
  /** The names of operators, keyed by actor. */
  readonly people: Names
}

/** Names the case in the form that assigns cases. */
const picking = ({ kind, id }: TableEntry) => ({ name: 'entity', value: `${kind}:${id}`, form: PICKED_FORM })

const cellsOf = (frame: Frame, canPick: boolean, { vaults, people }: Shown) => ({
  pick: (entry: TableEntry) => (
    <input
      type="checkbox"
      {...picking(entry)}
      aria-label={frame.t('console.pick.one', { title: caseTitle(frame, entry) })}
    />
  ),
  what: (entry: TableEntry) => <NameCell frame={frame} entry={entry} vaults={vaults} />,
  reason: (entry: TableEntry) => <ReasonCell frame={frame} entry={entry} people={people} />,
  outcome: (entry: TableEntry) => <StatusCell frame={frame} entry={entry} />,
  risk: (entry: TableEntry) => <RiskCell frame={frame} entry={entry} />,
  country: ({ country }: TableEntry) => (country ? textOf(frame, 'country', country) : null),
  documents: (entry: TableEntry) => <DocumentsCell frame={frame} entry={entry} />,
  age: (entry: TableEntry) => <AgeCell frame={frame} entry={entry} />,
  decided: (entry: TableEntry) => (
    <DecidedCell frame={frame} entry={entry} decided={entry.decided ?? null} people={people} />
  ),
  who: (entry: TableEntry) => (
    <AssigneeCell
      frame={frame}
      name={entry.assignedTo && (people.get(entry.assignedTo) ?? entry.assignedTo)}
      take={
        canPick ? (
          <Button kind="secondary" {...picking(entry)}>
            {frame.t('console.assign')}
            <span class="unseen">: {caseTitle(frame, entry)}</span>
          </Button>
        ) : null
      }
    />
  ),
})
type ColumnName = keyof ReturnType<typeof cellsOf>

/** The classes of the cells. Other columns have the class of their name. */
const CLASSES: Partial<Record<ColumnName, string>> = {
  reason: 'status',
  outcome: 'status outcome',
  risk: 'short',
  documents: 'short',
  country: 'country',
}

export const QUEUE_COLUMNS: readonly ColumnName[] = ['what', 'reason', 'risk', 'documents', 'age', 'who']
/** The columns of the lists of cases of any state. */
export const CASE_COLUMNS: readonly ColumnName[] = ['what', 'outcome', 'risk', 'country', 'decided']

interface EntryTableProps extends Shown {
  readonly frame: Frame
  readonly columns: readonly ColumnName[]
  readonly entries: readonly TableEntry[]
}

export function EntryTable({ frame, columns, entries, ...shown }: EntryTableProps) {
  const cells = cellsOf(frame, columns.includes('pick'), shown)
  return (
    <DataTable
      class="queue case-rows"
      isLinked
      rows={entries}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({ 'data-id': id })}
      columns={columns.map((key) => ({
        key,
        head: frame.t(key === 'pick' ? 'console.pick' : `console.column.${key}`),
        isHidden: key === 'pick',
        class: CLASSES[key] ?? key,
        cell: cells[key],
      }))}
    />
  )
}

/** Shows the name as a link that covers the whole row. Names the vault if the operator sees several. */
const NameCell = ({ frame, entry, vaults }: Pick<Shown, 'vaults'> & { frame: Frame; entry: TableEntry }) => (
  <RowName
    sign={<CaseSign frame={frame} entry={entry} />}
    href={consolePath(entry.kind, entry.id)}
    name={caseTitle(frame, entry)}
    notes={[
      frame.t(`console.one.${entry.kind}`),
      vaults.size > 1 && (vaults.get(entry.vaultId) ?? entry.vaultId),
      entry.matched !== undefined &&
        entry.matched !== entry.title &&
        frame.t('console.search.matched', { name: inShort(entry.matched) }),
    ]}
  />
)
