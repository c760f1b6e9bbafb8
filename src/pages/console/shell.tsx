/** Component: the layout of every console page. */
import type { ComponentChildren } from 'preact'
import { PostForm } from '../components/form.tsx'
import { type FieldProblem, Frameset, Problems } from '../components/layout.tsx'
import { Keys } from './keys.tsx'
import type { ConsoleVisit } from './visit.ts'

interface ShellProps {
  readonly visit: ConsoleVisit
  readonly title: string
  readonly problems?: readonly FieldProblem[]
  readonly children: ComponentChildren
}

/** The sections of the console, in the order of the navigation. */
const SECTIONS = [
  { href: '/console', name: 'console.queue', role: 'operator_review' },
  { href: '/console/search', name: 'console.search', role: 'operator_review', id: 'go-search' },
  { href: '/console/figures', name: 'figures.title', role: 'operator_review' },
  { href: '/console/settings', name: 'settings', role: 'operator_admin' },
] as const

/** Returns true if the path belongs to the section. Pages of cases belong to the queue. */
const isAt = (path: string, href: string): boolean =>
  href === '/console' ? /^\/console\/?($|kyb|identifications)/.test(path) : path.startsWith(href)

/** The ID of the form that assigns the next case. Buttons outside the form refer to it. */
export const NEXT_FORM = 'next-case'

export function Shell({ visit, title, problems = [], children }: ShellProps) {
  const { frame } = visit
  const { t } = frame
  return (
    <Frameset frame={frame} title={title} isWrong={problems.length > 0} look="console">
      <header>
        <nav aria-label={t('console.nav')}>
          <a class="vault" href="/console">
            Gatehouse
          </a>
          {SECTIONS.filter(({ role }) => visit.roles.includes(role)).map(({ href, name, role, ...more }) => (
            <a key={href} href={href} {...more} {...(isAt(frame.path, href) && { 'aria-current': 'true' })}>
              {t(name)}
            </a>
          ))}
        </nav>
        <div class="tools">
          {visit.roles.includes('operator_review') ? (
            <PostForm visit={visit} action="/console/next" id={NEXT_FORM}>
              <button type="submit" class="second" id="next">
                {t('console.next')}
              </button>
            </PostForm>
          ) : null}
          <button type="button" class="quiet" id="open-keys" hidden>
            {t('console.keys')}
          </button>
          <a href="/console/password">{t('settings.password')}</a>
          <a href="/console/codes">{t('codes.title')}</a>
          <PostForm visit={visit} action="/console/sign_out">
            <button type="submit" class="quiet">
              {t('console.signOut')}
            </button>
          </PostForm>
        </div>
      </header>
      <main id="content">
        {problems.length > 0 ? <Problems t={t} problems={problems} /> : null}
        <h1>{title}</h1>
        {children}
      </main>
      <Keys t={t} />
    </Frameset>
  )
}
