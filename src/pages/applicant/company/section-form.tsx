/** Page: a section of the company form. */
import { isRevision } from '../../../domain/kyb/application.ts'
import { countDocumentItems, itemsOf } from '../../../domain/kyb/progress.ts'
import { ButtonLink } from '../../components/button.tsx'
import { type RefusedForm, SaveForm } from '../../components/form.tsx'
import { DocumentChecklist } from '../base/documents.tsx'
import { Gap } from '../base/gap.tsx'
import { documentLists } from './document-lists.ts'
import { FieldGroups } from './field-groups.tsx'
import { countFixes, FormEnd } from './fix-box.tsx'
import { Owners, type UnsealedPerson } from './owners.tsx'
import { CompanyPage, SECTION_FORM } from './page.tsx'
import { labelOfPath } from './revision.tsx'
import {
  dueOn,
  followingPage,
  isEmptySection,
  needyPerson,
  type SectionPage,
  typedFields,
} from './sections.ts'
import type { CompanyVisit } from './visit.ts'

/** Names the first missing answer of a section that the applicant has begun. */
function FirstGap({ visit, page }: { visit: CompanyVisit; page: SectionPage }) {
  const { frame, application } = visit
  const fields = typedFields(application, page)
  const missing = dueOn(application, page).filter((path) => path in fields)
  const [first] = missing
  // An answer below the people can wait until each has an ID.
  const isLater = page === 'beneficiaries' && needyPerson(itemsOf(application)) !== null
  if (
    first === undefined ||
    application.corrections.length > 0 ||
    isEmptySection(application, page) ||
    isLater
  )
    return null
  return <Gap frame={frame} place={first} label={labelOfPath(visit, first)} answers={missing.length} />
}

interface SectionFormProps extends RefusedForm {
  readonly visit: CompanyVisit
  readonly page: SectionPage
  readonly open?: UnsealedPerson
}

export function SectionForm({ visit, page, problems = [], typed = {}, open }: SectionFormProps) {
  const { frame, base, application } = visit
  const { t } = frame
  const following = followingPage(application, page)
  const fixes = countFixes(visit, Object.keys(typedFields(application, page)))
  return (
    <CompanyPage
      visit={visit}
      title={t(`section.${page}`)}
      lead={fixes > 0 ? null : t(`section.${page}.text`)}
      current={page}
      back={base}
      problems={problems}
      hasForm
    >
      {problems.length > 0 ? null : <FirstGap visit={visit} page={page} />}
      {page === 'beneficiaries' ? <Owners visit={visit} open={open} problems={problems} /> : null}
      {page === 'business_files' ? (
        <DocumentChecklist
          visit={visit}
          problems={problems}
          lists={documentLists(visit)}
          progress={countDocumentItems(itemsOf(application))}
        />
      ) : null}
      <SaveForm
        visit={visit}
        id={SECTION_FORM}
        action={`${base}/${page}`}
        end={
          <FormEnd frame={frame} fixes={fixes}>
            <ButtonLink kind="quiet" href={base}>
              {t('section.overview')}
            </ButtonLink>
            {application.submittedAt === null && !isRevision(application) ? (
              <span class="dock-next row-note">
                {t('section.next', {
                  name: t(following === 'check' ? 'overview.check' : `section.${following}`),
                })}
              </span>
            ) : null}
          </FormEnd>
        }
      >
        <FieldGroups visit={visit} section={page} problems={problems} typed={typed} />
      </SaveForm>
    </CompanyPage>
  )
}
