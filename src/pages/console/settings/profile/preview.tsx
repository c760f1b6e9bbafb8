/** Page: a preview of the applicants’ pages under the draft, built from the pages themselves. */
import type { VNode } from 'preact'
import { RequestRefused } from '../../../../domain/base/errors.ts'
import { personIn } from '../../../../domain/kyb/fields.ts'
import { fieldsAtLink } from '../../../../domain/kyb/form.ts'
import { sampleApplication, sampleIdentification } from '../../../../domain/profile/sample.ts'
import { companyFormOf } from '../../../../use-cases/applicant/company-form.ts'
import { readDraftForms } from '../../../../use-cases/review/rehearsal.ts'
import { anonymousVisit } from '../../../applicant/base/visit.ts'
import { Overview } from '../../../applicant/company/overview.tsx'
import { OwnerForm } from '../../../applicant/company/owner-form.tsx'
import { SectionForm } from '../../../applicant/company/section-form.tsx'
import { isSectionPage, ownersOf } from '../../../applicant/company/sections.ts'
import { Check } from '../../../applicant/company/summary.tsx'
import type { CompanyVisit } from '../../../applicant/company/visit.ts'
import { Check as PersonCheck } from '../../../applicant/person/check.tsx'
import { Consent } from '../../../applicant/person/consent.tsx'
import { FieldsForm, isFieldsPage } from '../../../applicant/person/fields-form.tsx'
import { LinkForm } from '../../../applicant/person/link-form.tsx'
import { Overview as PersonOverview } from '../../../applicant/person/overview.tsx'
import { PhotoPage } from '../../../applicant/person/photo.tsx'
import { type PersonVisit, pagesOf, personVisitOf } from '../../../applicant/person/visit.ts'
import { frameOf } from '../../../routing/language.ts'
import { sendPage } from '../../../routing/response.tsx'
import { withFormTexts } from '../../../texts/index.ts'
import { type Ask, placeInVault } from '../ask.ts'
import { profilePath } from './address.ts'

/** The forms of the company, of a person, and of a beneficiary's link. */
export type Previewed = 'kyb' | 'person' | 'link'

/** Shows the page of this form at the end of the address. */
export const previewOf =
  (kind: Previewed) =>
  async (ask: Ask): Promise<void> => {
    const { deps, visit, t, id, req, res } = ask
    const { vault } = await placeInVault(ask, 'profile')
    const forms = await readDraftForms(deps, visit, id)
    const base = profilePath(id, `/preview/${kind}`)
    const [page = '', more] = [req.params.rest ?? []].flat()
    // The style sheets depend on the path, which ends with a slash.
    const path = `${base}/${page}`
    const frame = { ...frameOf(req, vault), preview: t('settings.profile.preview.text'), path }
    const anonymous = anonymousVisit(frame, { id, vaultId: id }, base)
    const now = new Date()
    const company = companyFormOf(sampleApplication(forms.kyb, id, now))
    const [person] = ownersOf(company.application)
    const shown =
      kind === 'kyb'
        ? companyPage(
            {
              ...anonymous,
              ...company,
              frame: withFormTexts(frame, forms.kyb),
              publicUrl: '',
            },
            page,
            more,
          )
        : personPage(
            personVisitOf(anonymous, {
              target: { entity: 'identification', id, vaultId: id },
              identification: sampleIdentification(forms.person, id, now),
              files: new Map(),
              atLink:
                kind === 'link' && person && Object.keys(fieldsAtLink(forms.kyb)).length > 0
                  ? { ...company, person }
                  : null,
            }),
            page,
          )
    sendPage(res, 200, shown)
  }

const notFound = () => new RequestRefused({ code: 'not_found' })

/** The addresses of pages whose work depends on a session. The preview shows the overview instead. */
const WITHOUT_PREVIEW = ['', 'next', 'leave', 'phone']

function companyPage(visit: CompanyVisit, page: string, owner: string | undefined): VNode {
  const person = personIn(visit.application.content, owner)
  if (page === 'owners') return <OwnerForm visit={visit} person={person ?? null} />
  if (isSectionPage(page)) return <SectionForm visit={visit} page={page} />
  if (page === 'check') return <Check visit={visit} />
  if (WITHOUT_PREVIEW.includes(page)) return <Overview visit={visit} />
  throw notFound()
}

function personPage(visit: PersonVisit, page: string): VNode {
  if (page === 'check') return <PersonCheck visit={visit} />
  if (WITHOUT_PREVIEW.includes(page)) return <PersonOverview visit={visit} />
  const known = pagesOf(visit).find((each) => each === page)
  if (known === undefined) throw notFound()
  if (known === 'consent') return <Consent visit={visit} />
  if (known === 'link')
    return visit.atLink ? <LinkForm visit={visit} atLink={visit.atLink} /> : <PersonOverview visit={visit} />
  return isFieldsPage(known) ? (
    <FieldsForm visit={visit} page={known} />
  ) : (
    <PhotoPage visit={visit} attribute={known} />
  )
}
