/** Component: tabs. Each tab is a link. */
export interface Tab {
  readonly href: string
  readonly name: string
  readonly count?: number | string | undefined
  /** True if the tab contains something that an operator must decide. */
  readonly isUrgent?: boolean
  readonly isCurrent: boolean
}

export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, name, count, isUrgent, isCurrent }) => (
      <a key={href} href={href} {...(isCurrent && { 'aria-current': 'page' })}>
        {name}
        {count === undefined ? null : <span class={isUrgent ? 'count count-danger' : 'count'}>{count}</span>}
      </a>
    ))}
  </nav>
)
