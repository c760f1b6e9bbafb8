/** Component: a table. If a row has a link, the whole row is clickable. Omits columns whose cells are all `null`. */
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly key: string
  /** The heading of the column. With `isHidden`, only screen readers read it. */
  readonly head: ComponentChildren
  readonly class?: string
  readonly isHidden?: boolean
  readonly cell: (row: T) => ComponentChildren
}

interface DataTableProps<T> {
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Returns the attributes of a row, such as an ID for scripts. */
  readonly rowProps?: (row: T) => object
  /** True if each row contains a link with the class `row-link`, which covers the row. */
  readonly isLinked?: boolean
  readonly class?: string
}

export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, keyOf, rowProps = () => ({}), isLinked = false, class: more = '' } = props
  const isEmpty = ({ cell }: Column<T>) => rows.length > 0 && rows.every((row) => cell(row) === null)
  const columns = props.columns.filter((column) => !isEmpty(column))
  const names = ['data-table', 'data-table-stacked', isLinked ? 'data-table-linked' : '', more]
  return (
    <table class={names.filter(Boolean).join(' ')}>
      <thead>
        <tr>
          {columns.map(({ key, head, isHidden, class: name }) => (
            <th key={key} scope="col" class={name}>
              {isHidden ? <span class="unseen">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...rowProps(row)}>
            {columns.map(({ key, cell, class: name, head, isHidden }) => (
              <td
                key={key}
                class={name}
                {...(typeof head === 'string' && !isHidden && { 'data-label': head })}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
