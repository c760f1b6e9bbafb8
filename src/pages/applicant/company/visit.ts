/** Loads a company's form for a session. */
import type { RouteDeps } from '../../../http/deps.ts'
import { emailsAreOn } from '../../../use-cases/access/vaults.ts'
import { type CompanyForm, getCompanyForm } from '../../../use-cases/applicant/company-form.ts'
import { withFormTexts } from '../../texts/index.ts'
import { correctionText } from '../base/correction.ts'
import { invalidText } from '../base/due.ts'
import type { ApplicantVisit } from '../base/visit.ts'

export interface CompanyVisit extends ApplicantVisit, CompanyForm {
  readonly publicUrl: string
  /** Whether beneficiaries with an address receive their links by email. */
  readonly sendsEmails?: boolean
}

/** Returns the visit with the company's form, or null if there is no application. */
export async function loadCompanyVisit(deps: RouteDeps, visit: ApplicantVisit): Promise<CompanyVisit | null> {
  const form = await getCompanyForm(deps, visit)
  if (!form) return null
  const frame = withFormTexts(visit.frame, form.application.form)
  const sendsEmails = emailsAreOn(deps, frame.vault)
  return { ...visit, frame, ...form, publicUrl: deps.config.PUBLIC_URL, sendsEmails }
}

/** Returns the address of the page to reply to a finding at the path, or null if the path has no finding. */
export const replyAt =
  ({ base, application }: CompanyVisit) =>
  (path: string): string | null => {
    const finding = application.corrections.find((each) => each.path === path)
    if (!finding) return null
    const { fileId } = finding
    return `${base}/replies?${new URLSearchParams({ path, ...(fileId !== undefined && { file_id: fileId }) })}`
  }

/** Returns the reviewer's comment on a field and why its value does not count. Returns null if there is neither. */
export const commentOn =
  ({ application, due, frame }: CompanyVisit) =>
  (path: string): string | null =>
    [
      correctionText(frame, application.corrections, path, (id) => application.files.get(id)?.name),
      invalidText(frame, due, path),
    ]
      .filter(Boolean)
      .join('\n') || null
