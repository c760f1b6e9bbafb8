/** What was entered: to check before it is sent, and to read when all is over. */
import type { Verification } from '../../domain/identification.ts'
import { BENEFICIARY_FIELDS, KYB_FIELDS } from '../../domain/kyb-fields.ts'
import { dueText } from '../due.ts'
import { labelOf } from '../fields.tsx'
import { PostForm } from '../form.tsx'
import { Home } from '../home.tsx'
import { Page } from '../layout.tsx'
import { ChangeLink, Values } from '../values.tsx'
import { hrefOf, nameOf, ownersOf, SECTION_PAGES } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Check({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const due = [...new Set([...application.corrections.map(({ path }) => path), ...application.currentlyDue])]
  return (
    <Page frame={frame} title={t('check.title')} back={base}>
      {due.length > 0 ? (
        <div class="notice">
          <h2>{t('check.missing')}</h2>
          <ul>
            {due.map((path) => (
              <li key={path}>
                <a href={hrefOf(base, path)}>{labelOfPath(visit, path)}</a>
                <WhyDue visit={visit} path={path} />
              </li>
            ))}
          </ul>
          <p>{t('check.incomplete')}</p>
        </div>
      ) : null}
      <Summary visit={visit} />
      {due.length > 0 ? null : (
        <PostForm visit={visit} action={`${base}/check`}>
          <button type="submit">{t('check.send')}</button>
        </PostForm>
      )}
    </Page>
  )
}

/** A reviewer's words are at the field itself. */
function WhyDue({ visit: { frame, due }, path }: { visit: CompanyVisit; path: string }) {
  const found = due.find((each) => each.path === path)
  return found ? <div class="quiet">{dueText(frame, found)}</div> : null
}

/** A person's field is told with the person's name. */
function labelOfPath({ frame: { t }, application }: CompanyVisit, path: string): string {
  const [, field = path, personId, personField] = path.split('.')
  const person = ownersOf(application).find(({ external_id }) => external_id === personId)
  if (!person) return labelOf(t, field)
  return personField ? `${nameOf(person)}: ${labelOf(t, personField)}` : nameOf(person)
}

/** Everything that was entered; while it can be changed, with links to where. */
function Summary({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const isOpen = application.state.status === 'open'
  return (
    <>
      {SECTION_PAGES.map((page) => (
        <section key={page} class="card" aria-labelledby={`${page}-title`}>
          <div class="title">
            <h2 id={`${page}-title`}>{t(`section.${page}`)}</h2>
            {isOpen ? (
              <ChangeLink frame={frame} href={`${base}/${page}`} label={t(`section.${page}`)} />
            ) : null}
          </div>
          <Values
            frame={frame}
            fields={KYB_FIELDS[page]}
            values={application.content[page]}
            files={application.files}
          />
          {page === 'beneficiaries'
            ? ownersOf(application).map((person) => (
                <div key={person.external_id}>
                  <h3>{nameOf(person)}</h3>
                  <Values
                    frame={frame}
                    fields={BENEFICIARY_FIELDS}
                    values={person}
                    files={application.files}
                  />
                </div>
              ))
            : null}
        </section>
      ))}
    </>
  )
}

interface DoneProps {
  readonly visit: CompanyVisit
  /** Of the company's identification, which may be looked at again after the review rejected it. */
  readonly verification: Verification | undefined
  readonly home: string | null
}

/** How it ended, or that it has not. */
function stageOf({ application: { state, review } }: CompanyVisit, verification: Verification | undefined) {
  if (state.status !== 'processed') return state.status === 'open' ? 'sent' : 'abandoned'
  if (review?.outcome === 'approved' || verification === 'approved') return 'approved'
  return verification === 'attention' ? 'sent' : 'rejected'
}

/** What happens next, or how it ended. */
export function Done({ visit, verification, home }: DoneProps) {
  const { frame, application, base } = visit
  const { t, vaultName } = frame
  const { review } = application
  const stage = stageOf(visit, verification)
  const isOpen = application.state.status === 'open'
  // What was said of a rejection is of no account once that is looked at again.
  const isCurrent = stage === review?.outcome || stage === 'abandoned'
  return (
    <Page frame={frame} title={t(`done.${stage}.title`)} {...(isOpen && { back: base })}>
      {stage === 'sent' ? (
        <div data-refresh>
          <p>{t('done.sent.text', { vault: vaultName ?? '' })}</p>
          {isOpen ? <p class="quiet">{t('done.sent.change')}</p> : null}
          <p>
            <a href={`${base}/done`}>{t('done.again')}</a>
          </p>
        </div>
      ) : null}
      <Home frame={frame} href={home} />
      {review?.clientComment && isCurrent ? (
        <div class="notice">
          <h2>{t('done.comment')}</h2>
          <p>{review.clientComment}</p>
        </div>
      ) : null}
      {isOpen ? null : <Summary visit={visit} />}
    </Page>
  )
}
