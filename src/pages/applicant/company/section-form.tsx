/** Page: a section of the company form. */
import { FILE_LISTS } from '../../../domain/kyb/fields.ts'
import { requiredFields } from '../../../domain/kyb/requirements.ts'
import { labelOf } from '../../components/fields.tsx'
import { FieldList, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { type FieldProblem, Page } from '../../components/layout.tsx'
import { Documents, type FileList, fileInput } from '../documents.tsx'
import { dueText } from '../due.ts'
import { ContinueForm, missingProblems } from '../missing.tsx'
import { Steps } from './overview.tsx'
import { Owners } from './owners.tsx'
import { dueOn, filesIn, nextAddress, type SectionPage, typedFields } from './sections.ts'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

/** Returns the document lists, required ones first. */
export function documentLists(visit: CompanyVisit): FileList[] {
  const { application, base } = visit
  const { content } = application
  return [...FILE_LISTS]
    .map(([field, section]) => ({
      path: `${section}.${field}`,
      field,
      action: `${base}/files/${field}`,
      files: filesIn(visit, content[section], field),
      required: requiredFields(section, content).includes(field),
      comment: commentOn(visit)(`${section}.${field}`),
      replyHref: replyAt(visit)(`${section}.${field}`),
    }))
    .sort((a, b) => Number(b.required) - Number(a.required))
}

const missingOn = ({ application, due, frame }: CompanyVisit, page: SectionPage): FieldProblem[] =>
  missingProblems(
    due
      .filter(({ path }) => dueOn(application, page).includes(path))
      .map((each) => {
        const field = each.path.split('.').at(-1) ?? ''
        return {
          place: FILE_LISTS.has(field) ? fileInput(each.path) : each.path,
          label: labelOf(frame.t, field),
          why: dueText(frame, each),
        }
      }),
  )

export function SectionForm({
  visit,
  page,
  problems: refused = [],
  typed = {},
  isMissing = false,
}: RefusedForm & { visit: CompanyVisit; page: SectionPage; isMissing?: boolean }) {
  const { frame, application, base } = visit
  const { t } = frame
  const missing = isMissing ? missingOn(visit, page) : []
  const problems = [...refused, ...missing]
  const fields = (
    <FieldList
      frame={frame}
      prefix={`${page}.`}
      fields={typedFields(page)}
      values={application.content[page]}
      required={(field) => requiredFields(page, application.content).includes(field)}
      commentOn={commentOn(visit)}
      replyAt={replyAt(visit)}
      problems={problems}
      typed={typed}
    />
  )
  return (
    <Page
      tools={<SaveStatus frame={frame} />}
      frame={frame}
      title={t(`section.${page}`)}
      back={base}
      problems={problems}
    >
      <Steps visit={visit} current={page} />
      {missing.length > 0 ? <ContinueForm frame={frame} href={nextAddress(visit, page)} /> : null}
      <p>{t(`section.${page}.text`)}</p>
      {page === 'beneficiaries' ? <Owners visit={visit} /> : null}
      {page === 'business_files' ? (
        <Documents visit={visit} problems={problems} lists={documentLists(visit)} />
      ) : null}
      {page === 'beneficiaries' ? <h2>{t('owners.more')}</h2> : null}
      <SaveForm visit={visit} action={`${base}/${page}`}>
        {fields}
      </SaveForm>
    </Page>
  )
}
