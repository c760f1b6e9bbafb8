/** Page: the entered data, to check before submission. */

import type { Correction } from '../../../domain/decision/decision.ts'
import { WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { BENEFICIARY_FIELDS } from '../../../domain/kyb/fields/beneficiaries.ts'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { PostForm, type RefusedForm } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { ChangeLink, Values } from '../../components/values.tsx'
import { correctionText } from '../correction.ts'
import { dueText, invalidText } from '../due.ts'
import { Replies, ReplyForm, ReplyText, replyPlace } from '../reply.tsx'
import { StillDue } from '../still-due.tsx'
import { Revision } from './overview.tsx'
import { contentOf, hrefOf, nameOf, ownersOf, SECTION_PAGES } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Check({ visit, problems = [], typed = {} }: RefusedForm & { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const open = openFindings(visit)
  const whole = replyPlace({ path: WHOLE_APPLICATION })
  const isAboutWhole = application.corrections.some(({ path }) => path === WHOLE_APPLICATION)
  const corrected = open.map(({ path, why, label, ...finding }) => ({
    href: hrefOf(base, path),
    label,
    why,
    reply: (
      <ReplyForm
        visit={visit}
        finding={{ path, ...finding }}
        label={label}
        problems={problems}
        typed={typed}
      />
    ),
  }))
  const missing = visit.due
    .filter((due) => !open.some(({ path }) => path === due.path))
    .map((due) => ({
      href: hrefOf(base, due.path),
      label: labelOfPath(visit, due.path),
      why: dueText(frame, due),
    }))
  return (
    <Page frame={frame} title={t('check.title')} back={base} problems={problems}>
      {isAboutWhole || application.review?.clientComment ? <Revision visit={visit} /> : null}
      <StillDue frame={frame} corrected={corrected} missing={missing} />
      <Replies
        visit={visit}
        replies={application.replies}
        labelOf={(reply) => labelOfFinding(visit, reply)}
        wordsOf={(reply) => correctionText(frame, [reply], reply.path)}
        isOpen
        problems={problems}
        typed={typed}
      />
      <Summary visit={visit} />
      {missing.length > 0 || application.submittedAt !== null ? null : (
        <PostForm visit={visit} action={`${base}/check`}>
          {isAboutWhole ? (
            <ReplyText
              frame={frame}
              id={whole}
              value={typed[whole]}
              problem={problems.find(({ field }) => field === whole)}
            />
          ) : null}
          <Button>{t('check.send')}</Button>
        </PostForm>
      )}
    </Page>
  )
}

/** Returns the findings on fields and documents without duplicates. A submission settles a comment on the application. */
export function openFindings(visit: CompanyVisit) {
  const { frame, application, due } = visit
  const places = new Map(
    application.corrections
      .filter(({ path }) => path !== WHOLE_APPLICATION)
      .map((each) => [replyPlace(each), each]),
  )
  return [...places].map(([place, { path, fileId }]) => {
    const same = application.corrections.filter((each) => replyPlace(each) === place)
    return {
      path,
      ...(fileId !== undefined && { fileId }),
      label: labelOfFinding(visit, { path, fileId }),
      why: [correctionText(frame, same, path), invalidText(frame, due, path)].filter(Boolean).join(' '),
    }
  })
}

function labelOfFinding(
  visit: CompanyVisit,
  { path, fileId = '' }: Pick<Correction, 'path' | 'fileId'>,
): string {
  const file = visit.application.files.get(fileId)
  return [labelOfPath(visit, path), file?.name].filter(Boolean).join(': ')
}

function labelOfPath({ frame: { t }, application }: CompanyVisit, path: string): string {
  const [, field = path, personId, personField] = path.split('.')
  const person = ownersOf(application).find(({ external_id }) => external_id === personId)
  if (!person) return labelOf(t, field)
  return personField ? `${nameOf(person)}: ${labelOf(t, personField)}` : nameOf(person)
}

/** Lists all entered data. While the application is open, each section has a link to change it. */
export function Summary({ visit }: { visit: CompanyVisit }) {
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
          <Values frame={frame} {...contentOf(page, application.content)} files={application.files} />
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
