/** Component: the layout of the settings pages and the parts that they share. */

import type { ComponentChildren } from 'preact'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { Shell } from '../shell.tsx'
import type { ConsoleVisit } from '../visit.ts'

export const BASE = '/console/settings'
export const SECTIONS = ['vaults', 'users', 'actions', 'audit'] as const

interface SettingsProps {
  readonly visit: ConsoleVisit
  readonly section: (typeof SECTIONS)[number]
  readonly title: string
  readonly problems?: readonly FieldProblem[]
  readonly children: ComponentChildren
}

export const Settings = ({ visit, section, title, problems = [], children }: SettingsProps) => (
  <Shell visit={visit} title={title} problems={problems}>
    <nav aria-label={visit.frame.t('settings')}>
      <ul class="filters">
        {SECTIONS.map((each) => (
          <li key={each}>
            <a href={`${BASE}/${each}`} {...(each === section && { 'aria-current': 'page' })}>
              {visit.frame.t(`settings.${each}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div class="settings">{children}</div>
  </Shell>
)

interface ConfirmPageProps extends Omit<SettingsProps, 'children'> {
  readonly text: string
  readonly action: string
  /** The label of the button. */
  readonly press: string
  readonly back: string
}

/** Asks for confirmation before an action that cannot be undone. */
export const ConfirmPage = ({ text, action, press, back, ...page }: ConfirmPageProps) => (
  <Settings {...page}>
    <p>{text}</p>
    <PostForm visit={page.visit} action={action}>
      <p class="choice-of-two">
        <Button>{press}</Button>
        <ButtonLink kind="secondary" href={back}>
          {page.visit.frame.t('settings.cancel')}
        </ButtonLink>
      </p>
    </PostForm>
  </Settings>
)

interface SecretProps extends Omit<SettingsProps, 'children'> {
  readonly label: string
  readonly secret: string
  readonly text: string
  readonly next: string
}

/** Shows a secret, which no later page shows again. */
export const Secret = ({ label, secret, text, next, ...page }: SecretProps) => (
  <Settings {...page}>
    <div class="field">
      <label for="secret">{label}</label>
      <p class="hint" id="secret-hint">
        {text}
      </p>
      <input type="text" id="secret" class="secret" value={secret} readOnly aria-describedby="secret-hint" />
    </div>
    <p>
      <Button
        type="button"
        kind="secondary"
        data-copy="secret"
        data-done={page.visit.frame.t('settings.copied')}
        data-selected={page.visit.frame.t('owners.link.selected')}
        hidden
      >
        {page.visit.frame.t('settings.copy')}
      </Button>
    </p>
    <p>
      <a href={next}>{page.visit.frame.t('settings.goOn')}</a>
    </p>
  </Settings>
)

interface TableProps {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[]
}

/** A table. On a phone, each row is a block and each cell has the label of its column. */
export const Table = ({ caption, columns, rows }: TableProps) => (
  <table class="stacked">
    <caption class="unseen">{caption}</caption>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, cells }) => (
        <tr key={key}>
          {cells.map((cell, n) => (
            <td key={columns[n]} data-label={columns[n]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

export const PER_PAGE = 50

/** Returns the page number, or 1 if it is missing or invalid. */
export function pageOf(query: Readonly<Record<string, unknown>>): number {
  const page = Number(query.page ?? 1)
  return Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1
}

interface PagerProps {
  readonly frame: Frame
  readonly page: number
  readonly totalCount: number
  readonly hrefOf: (page: number) => string
}

export function Pager({ frame: { t }, page, totalCount, hrefOf }: PagerProps) {
  const pages = Math.max(1, Math.ceil(totalCount / PER_PAGE))
  if (pages === 1) return null
  return (
    <nav aria-label={t('console.pages')} class="pages">
      {page > 1 ? <a href={hrefOf(page - 1)}>{t('console.newer')}</a> : null}
      <span>{t('console.page', { page, pages })}</span>
      {page < pages ? <a href={hrefOf(page + 1)}>{t('console.older')}</a> : null}
    </nav>
  )
}
