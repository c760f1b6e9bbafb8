/** Page: a section of the company form. */
import { fieldAt } from '../../../domain/kyb/form.ts'
import { countDocumentItems, itemsOf } from '../../../domain/kyb/progress.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { type RefusedForm, SaveForm } from '../../components/form.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { DocumentChecklist, fileInput } from '../documents.tsx'
import { dueText } from '../due.ts'
import { ContinueForm, missingProblems } from '../missing.tsx'
import { isToFix } from './company-field.tsx'
import { documentLists } from './document-lists.ts'
import { FieldGroups } from './field-groups.tsx'
import { Owners, type UnsealedPerson } from './owners.tsx'
import { CompanyPage, SECTION_FORM } from './page.tsx'
import { dueOn, nextAddress, SECTION_PAGES, type SectionPage, typedFields } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

const missingOn = ({ application, due, frame }: CompanyVisit, page: SectionPage): FieldProblem[] =>
  missingProblems(
    due
      .filter(({ path }) => dueOn(application, page).includes(path))
      .map((each) => {
        const field = each.path.split('.').at(-1) ?? ''
        return {
          place: fieldAt(application.form, each.path)?.type === 'files' ? fileInput(each.path) : each.path,
          label: labelOf(frame.t, field),
          why: dueText(frame, each),
        }
      }),
  )

interface SectionFormProps extends RefusedForm {
  readonly visit: CompanyVisit
  readonly page: SectionPage
  readonly isMissing?: boolean
  /** The person whose card is open in the list of owners. */
  readonly open?: UnsealedPerson
}

export function SectionForm({
  visit,
  page,
  problems: refused = [],
  typed = {},
  isMissing = false,
  open,
}: SectionFormProps) {
  const { frame, base, application } = visit
  const { t } = frame
  const missing = isMissing ? missingOn(visit, page) : []
  const problems = [...refused, ...missing]
  const following = SECTION_PAGES[SECTION_PAGES.indexOf(page) + 1]
  return (
    <CompanyPage
      visit={visit}
      title={t(`section.${page}`)}
      lead={t(`section.${page}.text`)}
      current={page}
      back={base}
      problems={problems}
      hasForm
    >
      {missing.length > 0 ? <ContinueForm frame={frame} href={nextAddress(visit, page)} /> : null}
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
        class="flow"
        action={`${base}/${page}`}
        end={
          <div class="dock">
            {/* This button is secondary if the box of a correction contains the main button. */}
            <Button
              kind={
                Object.keys(typedFields(page)).some((name) => isToFix(visit, `${page}.${name}`))
                  ? 'secondary'
                  : 'filled'
              }
            >
              {t('section.save')}
            </Button>
            <ButtonLink kind="quiet" href={base}>
              {t('section.overview')}
            </ButtonLink>
            {following || application.submittedAt === null ? (
              <span class="dock-next row-note">
                {t('section.next', { name: t(following ? `section.${following}` : 'overview.check') })}
              </span>
            ) : null}
          </div>
        }
      >
        <FieldGroups visit={visit} section={page} problems={problems} typed={typed} />
      </SaveForm>
    </CompanyPage>
  )
}
