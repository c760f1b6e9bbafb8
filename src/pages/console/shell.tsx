/** What every page of the console has around its content. */
import type { ComponentChildren } from 'preact'
import { PostForm } from '../form.tsx'
import { type FieldProblem, Frameset, Problems } from '../layout.tsx'
import type { ConsoleVisit } from './visit.ts'

interface ShellProps {
  readonly visit: ConsoleVisit
  readonly title: string
  readonly problems?: readonly FieldProblem[]
  readonly children: ComponentChildren
}

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
          <a href="/console">{t('console.queue')}</a>
          <a href="/console/search">{t('console.search')}</a>
          <a href="/console/figures">{t('figures.title')}</a>
        </nav>
        <PostForm visit={visit} action="/console/sign_out">
          <button type="submit" class="quiet">
            {t('console.signOut')}
          </button>
        </PostForm>
      </header>
      <main id="content">
        {problems.length > 0 ? <Problems t={t} problems={problems} /> : null}
        <h1>{title}</h1>
        {children}
      </main>
    </Frameset>
  )
}
