/** A section of the form. */
import { FILE_LISTS } from '../../../domain/kyb/fields.ts'
import { requiredFields } from '../../../domain/kyb/requirements.ts'
import { type Again, FieldList, SaveForm } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { Documents, type FileList } from '../documents.tsx'
import { Steps } from './overview.tsx'
import { Owners } from './owners.tsx'
import { filesIn, type SectionPage, typedFields } from './sections.ts'
import { type CompanyVisit, commentOn } from './visit.ts'

/** What is required comes first. */
function documentLists(visit: CompanyVisit): FileList[] {
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
    }))
    .sort((a, b) => Number(b.required) - Number(a.required))
}

export function SectionForm({
  visit,
  page,
  problems = [],
  typed = {},
}: Again & { visit: CompanyVisit; page: SectionPage }) {
  const { frame, application, base } = visit
  const { t } = frame
  const fields = (
    <FieldList
      frame={frame}
      prefix={`${page}.`}
      fields={typedFields(page)}
      values={application.content[page]}
      required={(field) => requiredFields(page, application.content).includes(field)}
      commentOn={commentOn(visit)}
      problems={problems}
      typed={typed}
    />
  )
  return (
    <Page frame={frame} title={t(`section.${page}`)} back={base} problems={problems}>
      <Steps visit={visit} current={page} />
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
