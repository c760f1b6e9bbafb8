/** Page: a preview of the company form under the draft, built from the applicants' own pages. */
import { RequestRefused } from '../../../../domain/base/errors.ts'
import { sampleApplication } from '../../../../domain/profile/sample.ts'
import { companyFormOf } from '../../../../use-cases/applicant/company-form.ts'
import { readDraftForm } from '../../../../use-cases/review/rehearsal.ts'
import { Overview } from '../../../applicant/company/overview.tsx'
import { OwnerForm } from '../../../applicant/company/owner-form.tsx'
import { SectionForm } from '../../../applicant/company/section-form.tsx'
import { isSectionPage, ownersOf } from '../../../applicant/company/sections.ts'
import { Check } from '../../../applicant/company/summary.tsx'
import type { CompanyVisit } from '../../../applicant/company/visit.ts'
import { frameOf } from '../../../routing/language.ts'
import { sendPage } from '../../../routing/response.tsx'
import { withFormTexts } from '../../../texts/index.ts'
import { type Ask, placeInVault } from '../ask.ts'
import { profilePath } from './address.ts'

export async function showPreview(ask: Ask): Promise<void> {
  const { deps, visit, t, id, req, res } = ask
  const { vault } = await placeInVault(ask, 'profile')
  const form = await readDraftForm(deps, visit, id)
  const base = profilePath(id, '/preview/kyb')
  const [page = '', owner] = [req.params.rest ?? []].flat()
  const frame = { ...frameOf(req, vault), preview: t('settings.profile.preview.text') }
  // The style sheets depend on the path, which ends with a slash.
  const shown = { ...withFormTexts(frame, form), path: `${base}/${page}` }
  const previewed: CompanyVisit = {
    ...companyFormOf(sampleApplication(form, id, new Date())),
    frame: shown,
    id,
    vaultId: id,
    base,
    csrf: '',
    scope: 'everything',
    actor: '',
    sessionHash: Buffer.alloc(0),
    publicUrl: '',
  }
  sendPage(res, 200, pageOf(previewed, page, owner))
}

function pageOf(visit: CompanyVisit, page: string, owner: string | undefined) {
  const person = ownersOf(visit.application).find(({ external_id }) => external_id === owner)
  if (page === 'owners') return <OwnerForm visit={visit} person={person ?? null} />
  if (isSectionPage(page)) return <SectionForm visit={visit} page={page} />
  if (page === 'check') return <Check visit={visit} />
  if (['', 'next', 'leave'].includes(page)) return <Overview visit={visit} />
  throw new RequestRefused({ code: 'not_found' })
}
