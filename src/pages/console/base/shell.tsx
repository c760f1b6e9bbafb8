/** Component: the layout of every console page. */
import type { ComponentChildren } from 'preact'
import { hasPermission } from '../../../domain/access/grant.ts'
import { Button, PlainButton } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Avatar, Icon, type IconName, Sign } from '../../components/icon.tsx'
import { type FieldProblem, type Frame, Frameset, Problems } from '../../components/layout.tsx'
import { Toast } from '../../components/toast.tsx'
import type { TextName } from '../../texts/index.ts'
import type { UpLink } from './ask.ts'
import { Keys } from './keys.tsx'
import { CLIENT_BASE, type ConsolePermission, type ConsoleVisit, mayUse } from './visit.ts'

interface ShellProps {
  readonly visit: ConsoleVisit
  readonly title: string
  readonly problems?: readonly FieldProblem[]
  /** The link above the title. */
  readonly up?: UpLink | undefined
  /** The number of objects on the page, such as "25 cases". */
  readonly count?: ComponentChildren
  /** A sentence below the title. */
  readonly lead?: ComponentChildren
  readonly tools?: ComponentChildren
  /** Replaces the title's line, for example on a case's page. Must contain the `<h1>`. */
  readonly head?: ComponentChildren
  readonly class?: string | undefined
  /** False if the page belongs to no section, whatever its address is. */
  readonly isInSection?: boolean
  readonly children?: ComponentChildren
}

interface Section {
  readonly href: string
  /** The name, which must fit on one line of the rail in each language. */
  readonly name: TextName
  readonly icon: IconName
  readonly permission: ConsolePermission
  readonly id?: string
}

const SECTIONS: readonly Section[] = [
  { href: '/console', name: 'console.rail.queue', icon: 'inbox', permission: 'read_cases' },
  { href: '/console/cases', name: 'console.cases', icon: 'folder', permission: 'read_cases' },
  {
    href: '/console/search',
    name: 'console.search',
    icon: 'search',
    permission: 'read_cases',
    id: 'go-search',
  },
  { href: '/console/figures', name: 'figures.title', icon: 'chart-column', permission: 'read_cases' },
  { href: '/console/settings', name: 'console.rail.settings', icon: 'settings', permission: 'read_settings' },
]

/** The sections of a vault for its own users, by their paths below that of the vault. */
const SEAT_SECTIONS: readonly Omit<Section, 'permission'>[] = [
  { href: '', name: 'console.client.home', icon: 'house' },
  { href: '/webhooks', name: 'console.client.webhooks', icon: 'webhook' },
  { href: '/keys', name: 'console.client.keys', icon: 'key-round' },
  { href: '/members', name: 'console.client.members', icon: 'users' },
]

/** Returns the sections that the user may open. Those of a vault lead to the vault in the address, or to the first. */
function sectionsOf(visit: ConsoleVisit): readonly Section[] {
  const { seats, frame } = visit
  const seat = seats.find(({ id }) => frame.path.startsWith(`${CLIENT_BASE}/${id}`)) ?? seats[0]
  const own = SEAT_SECTIONS.map((section): Section => {
    return { ...section, href: `${CLIENT_BASE}/${seat?.id}${section.href}`, permission: 'read_own' }
  })
  return [...SECTIONS, ...own].filter(({ permission }) => mayUse(visit, permission))
}

/** Returns true if the path belongs to the section. The pages of cases belong to the queue, or to a vault's home. */
const isAt = (path: string, href: string): boolean =>
  /^\/console(\/client\/[\da-f-]+)?$/.test(href)
    ? path.startsWith(href) && /^\/?($|kyb|identifications)/.test(path.slice(href.length))
    : path.startsWith(href)

type PageHeadProps = { readonly frame: Frame } & Pick<ShellProps, 'title' | 'up' | 'count' | 'lead' | 'tools'>

export const PageHead = ({ frame, title, up, count, lead, tools }: PageHeadProps) => (
  <>
    {up ? (
      <a class="page-up" href={up.href}>
        <Icon name="chevron-left" size={14} /> {frame.t(up.name)}
      </a>
    ) : null}
    <div class={count ? 'page-head list-head' : 'page-head'}>
      <h1>{title}</h1>
      {count ? (
        <span class="quiet" id="counts">
          {count}
        </span>
      ) : null}
      {lead ? <p class="page-lead">{lead}</p> : null}
      {tools ? <div class="page-head-end">{tools}</div> : null}
    </div>
  </>
)

/** The ID of the form that assigns the next case. Buttons outside the form refer to this ID. */
export const NEXT_FORM = 'next-case'

export function Shell(props: ShellProps) {
  const { visit, title, problems = [], up, count, lead, tools, head, class: more } = props
  const { isInSection = true, children } = props
  const { frame } = visit
  const { t } = frame
  return (
    <Frameset frame={frame} title={title} isWrong={problems.length > 0} look="console">
      <header class="console-rail">
        <a class="console-sign" href="/console" aria-label="Gatehouse">
          <Sign size={34} />
        </a>
        <nav aria-label={t('console.nav')}>
          {sectionsOf(visit).map(({ href, name, icon, id }) => (
            <a
              key={href}
              href={href}
              id={id}
              {...(isInSection && isAt(frame.path, href) && { 'aria-current': 'true' })}
            >
              <Icon name={icon} size={20} />
              {t(name)}
            </a>
          ))}
        </nav>
        <PlainButton type="button" class="rail-tool" id="open-keys" hidden>
          <Icon name="circle-question-mark" size={20} />
          {t('console.help')}
          <span class="unseen">: {t('console.keys')}</span>
        </PlainButton>
        <details class="menu">
          <summary class="rail-tool">
            <Avatar name={visit.email} />
            <span class="unseen">{t('console.account')}</span>
          </summary>
          <div class="menu-entries">
            {visit.hasPassword ? (
              <>
                <a href="/console/password">{t('settings.password')}</a>
                <a href="/console/codes">{t('codes.title')}</a>
              </>
            ) : null}
            {visit.hasPassword && visit.hasProvider ? (
              <a href="/console/single_sign_on">{t('sso.leave.title')}</a>
            ) : null}
            <PostForm visit={visit} action="/console/sign_out">
              <PlainButton>{t('console.signOut')}</PlainButton>
            </PostForm>
          </div>
        </details>
      </header>
      <main id="content" class={more}>
        {problems.length > 0 ? <Problems t={t} problems={problems} /> : null}
        {visit.notice ? <Toast>{visit.notice}</Toast> : null}
        {head ?? <PageHead {...{ frame, title, up, count, lead, tools }} />}
        {children}
        {hasPermission(visit, 'decide') ? (
          <PostForm visit={visit} action="/console/next" id={NEXT_FORM}>
            {/* A keyboard shortcut activates this button on every page. */}
            <Button id="next" hidden>
              {t('console.next')}
            </Button>
          </PostForm>
        ) : null}
      </main>
      <Keys t={t} />
    </Frameset>
  )
}
