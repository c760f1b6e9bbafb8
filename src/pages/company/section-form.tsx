/** A section of the form. */
import { FILE_LISTS } from '../../domain/kyb-fields.ts'
import { requiredFields } from '../../domain/kyb-requirements.ts'
import { Page } from '../layout.tsx'
import type { Visit } from '../visit.ts'
import { Documents, type FileList } from './documents.tsx'
import { FieldList, type FormPage, SaveForm } from './form.tsx'
import { Owners } from './owners.tsx'
import { filesIn, type SectionPage, typedFields } from './sections.ts'

/** What is required comes first. */
const documentLists = ({ application: { content }, base }: Visit): FileList[] =>
  [...FILE_LISTS]
    .map(([field, section]) => ({
      path: `${section}.${field}`,
      field,
      action: `${base}/files/${field}`,
      ids: filesIn(content[section], field),
      required: requiredFields(section, content).includes(field),
    }))
    .sort((a, b) => Number(b.required) - Number(a.required))

export function SectionForm({ visit, page, problems = [], typed = {} }: FormPage & { page: SectionPage }) {
  const { frame, application, base } = visit
  const { t } = frame
  const fields = (
    <FieldList
      visit={visit}
      prefix={`${page}.`}
      fields={typedFields(page)}
      values={application.content[page]}
      required={(field) => requiredFields(page, application.content).includes(field)}
      problems={problems}
      typed={typed}
    />
  )
  return (
    <Page frame={frame} title={t(`section.${page}`)} back={base} problems={problems}>
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
