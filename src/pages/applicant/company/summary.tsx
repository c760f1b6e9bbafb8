/** Page: all entered data, which the applicant checks before submission. */
import { isRevision } from '../../../domain/kyb/application.ts'
import { WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { type Beneficiary, personIn } from '../../../domain/kyb/fields.ts'
import { factsOf, factsOfPerson, personValues } from '../../../domain/kyb/form.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import { beneficiaryPath, type Due, isAboutPerson } from '../../../domain/kyb/requirements.ts'
import { Banner } from '../../components/banner.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PostForm, type RefusedForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { ChangeLink, MissingValue, Values } from '../../components/values.tsx'
import { askedOrGiven, isEmpty } from '../../values/form-values.ts'
import { correctionText } from '../base/correction.ts'
import { dueText, invalidText, isPlain } from '../base/due.ts'
import { findingsOf, Replies, ReplyText, replyPlace } from '../base/reply.tsx'
import { ReviewComment } from '../base/review-comment.tsx'
import { type DueField, LockedSubmission, type OpenFinding, StillDue } from '../base/still-due.tsx'
import { SECTION_ICONS } from './overview.tsx'
import { CompanyPage } from './page.tsx'
import { fixesOf, labelOfFinding, labelOfPath } from './revision.tsx'
import {
  companyName,
  contentOf,
  countMissing,
  hrefOf,
  isAwaited,
  nameOf,
  ownersOf,
  pageOf,
  SECTION_PAGES,
  type SectionPage,
  wayAddress,
} from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Check({ visit, problems = [], typed = {} }: RefusedForm & { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const open = openFindings(visit)
  const whole = replyPlace({ path: WHOLE_APPLICATION })
  const isAboutWhole = application.corrections.some(({ path }) => path === WHOLE_APPLICATION)
  const missing = missingLines(
    visit,
    visit.due.filter((due) => !open.some(({ path }) => path === due.path)),
  )
  const isSubmitted = application.submittedAt !== null
  const isLocked = open.length + missing.length > 0
  const name = companyName(application)
  const send = t(isRevision(application) ? 'check.sendAgain' : 'check.send')
  return (
    <CompanyPage
      visit={visit}
      title={t(isSubmitted ? 'check.submitted' : 'overview.check')}
      lead={t(isSubmitted ? 'overview.submitted' : 'check.text')}
      printTitle={name === null ? t('check.submitted') : t('check.print', { name })}
      current="check"
      back={base}
      problems={problems}
    >
      {isAboutWhole || application.review?.clientComment ? <Comment visit={visit} /> : null}
      <StillDue visit={visit} corrected={open} missing={missing} problems={problems} typed={typed} />
      <Replies
        visit={visit}
        replies={application.replies}
        labelOf={(reply) => labelOfFinding(visit, reply)}
        problems={problems}
        typed={typed}
      />
      <Summary visit={visit} />
      {isSubmitted ? null : isLocked ? (
        <LockedSubmission frame={frame} label={send} changes={fixesOf(visit)}>
          <ButtonLink kind="quiet" href={base}>
            {t('section.overview')}
          </ButtonLink>
        </LockedSubmission>
      ) : (
        <PostForm visit={visit} class="flow" action={`${base}/check`}>
          {isAboutWhole ? (
            <ReplyText
              frame={frame}
              id={whole}
              value={typed[whole]}
              problem={problems.find(({ field }) => field === whole)}
            />
          ) : null}
          <div class="dock dock-always">
            <Button icon="send">{send}</Button>
            <ButtonLink kind="quiet" href={base}>
              {t('section.overview')}
            </ButtonLink>
          </div>
        </PostForm>
      )}
    </CompanyPage>
  )
}

/** Returns a line for each section or person with missing details. Invalid details have separate lines. */
function missingLines(visit: CompanyVisit, due: readonly Due[]): DueField[] {
  const { frame, application, base } = visit
  const { t } = frame
  const groups = new Map<string, Due[]>()
  for (const each of due) {
    const [, , personId] = each.path.split('.')
    const key = isPlain(each.reason) ? (personId ?? pageOf(application, each.path) ?? each.path) : each.path
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups].flatMap(([key, items]): DueField[] => {
    const [first] = items
    if (first === undefined) return []
    const paths = items.map(({ path }) => path)
    const count = countMissing(application, paths)
    const href = hrefOf(base, application, first.path)
    const person = personIn(application.content, key)
    if (person && count.answers === 0)
      return [
        isAwaited(application, key)
          ? {
              href: wayAddress(base, key, 'link'),
              label: t('check.waitsFor', { name: nameOf(person) }),
              why: null,
              count,
            }
          : { href, label: t('check.idMissing', { name: nameOf(person) }), why: null, count },
      ]
    if (items.length === 1)
      return [{ href, label: labelOfPath(visit, first.path), why: dueText(frame, first), count }]
    const step = person ? nameOf(person) : t(`section.${pageOf(application, first.path) ?? 'business_files'}`)
    return [{ href, label: t('check.step', { step, count: items.length }), why: null, count }]
  })
}

const Comment = ({ visit: { frame, application } }: { visit: CompanyVisit }) =>
  application.corrections.length === 0 ? null : (
    <Banner tone="warning" title={frame.t('overview.revision')}>
      <ReviewComment comment={application.review?.clientComment}>
        {frame.t('overview.revisionText')}
      </ReviewComment>
    </Banner>
  )

/**
 * Returns the findings on fields and documents, without duplicates. Omits a comment on the whole application, because
 * submitting resolves it.
 */
export function openFindings(visit: CompanyVisit): OpenFinding[] {
  const { frame, application, base, due } = visit
  const corrections = application.corrections.filter(({ path }) => path !== WHOLE_APPLICATION)
  return findingsOf(corrections).map((finding) => {
    const { path } = finding
    const same = corrections.filter((each) => replyPlace(each) === replyPlace(finding))
    return {
      ...finding,
      href: hrefOf(base, application, path),
      label: labelOfFinding(visit, finding),
      why: [correctionText(frame, same, path), invalidText(frame, due, path)].filter(Boolean).join('\n'),
    }
  })
}

/** Returns the name of the field among those that the summary lists: a person's field without the person. */
const nameIn = (path: string): string => (isOfPerson(path) ? path.split('.').slice(3).join('.') : path)

/** Returns true for the path of a field of an owner, such as `beneficiaries.beneficiaries_list.<id>.email`. */
const isOfPerson = (path: string): boolean => path.split('.').length > 2

/** Lists all entered data, with links for changes while the application is open. Phones fold sections. */
export function Summary({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const isOpen = application.state.status === 'open'
  return (
    <>
      {SECTION_PAGES.map((page) => {
        const title = t(`section.${page}`)
        const due = visit.due.map(({ path }) => path).filter((path) => pageOf(application, path) === page)
        const isNew = due.length > 0 && isUnanswered(page, application)
        return (
          <Card
            key={page}
            id={`${page}-title`}
            icon={SECTION_ICONS[page]}
            title={title}
            end={
              isOpen ? (
                <ChangeLink frame={frame} href={`${base}/${page}`} label={title} isNew={isNew} />
              ) : null
            }
          >
            {isNew ? (
              <MissingValue frame={frame} />
            ) : isOpen && due.length === 0 ? (
              <details class="folded section-fold" data-finished>
                <summary>
                  {t('check.details', { count: countGiven(page, application) })}
                  <Icon name="chevron-down" size={16} />
                </summary>
                <PageValues visit={visit} page={page} />
              </details>
            ) : (
              <PageValues visit={visit} page={page} />
            )}
          </Card>
        )
      })}
    </>
  )
}

function PageValues({ visit, page }: { visit: CompanyVisit; page: SectionPage }) {
  const { frame, application, base } = visit
  const missingIn = (isShown: (path: string) => boolean) =>
    new Set(visit.due.flatMap(({ path }) => (isShown(path) ? [nameIn(path)] : [])))
  const parts = { frame, files: application.files }
  return (
    <>
      <Values
        {...parts}
        {...shownContent(page, application)}
        missing={missingIn((path) => pageOf(application, path) === page && !isOfPerson(path))}
        hrefOf={(path) => hrefOf(base, application, path)}
      />
      {peopleOn(page, application).map((person) => (
        <div key={person.external_id} class="summary-person">
          <h3>{nameOf(person)}</h3>
          <Values
            {...parts}
            {...shownPerson(application, person)}
            missing={missingIn((path) => isAboutPerson(path, person.external_id))}
            hrefOf={(name) => hrefOf(base, application, beneficiaryPath(person.external_id, name))}
          />
        </div>
      ))}
    </>
  )
}

const peopleOn = (page: SectionPage, application: KybApplication) =>
  page === 'beneficiaries' ? ownersOf(application) : []

function countGiven(page: SectionPage, application: KybApplication): number {
  const { form } = application
  const lists = [
    contentOf(page, application),
    ...peopleOn(page, application).map((person) => ({
      fields: form.person,
      values: personValues(form, person),
    })),
  ]
  return lists.flatMap(({ fields, values }) => Object.keys(fields).filter((path) => !isEmpty(values[path])))
    .length
}

const isUnanswered = (page: SectionPage, application: KybApplication): boolean =>
  peopleOn(page, application).length === 0 && countGiven(page, application) === 0

function shownContent(page: SectionPage, application: KybApplication) {
  const { form, content } = application
  const { fields, values } = contentOf(page, application)
  return { fields: askedOrGiven(fields, values, factsOf(form, content)), values }
}

function shownPerson({ form, content }: KybApplication, person: Beneficiary) {
  const values = personValues(form, person)
  return { fields: askedOrGiven(form.person, values, factsOfPerson(form, content, person)), values }
}
