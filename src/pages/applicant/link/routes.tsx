/** Routes for verification links: their first page, which starts a session. */
import type { Request, Response } from 'express'
import type { LinkedVerification } from '../../../domain/identification/link.ts'
import { ipOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { emailsAreOn } from '../../../use-cases/access/vaults.ts'
import { getCompanyForm } from '../../../use-cases/applicant/company-form.ts'
import { sendFormCode, tryFormCode } from '../../../use-cases/applicant/form-code.ts'
import { findExpiredLink, findLink } from '../../../use-cases/applicant/session.ts'
import { tryKybPassword } from '../../../use-cases/kyb/password.ts'
import { LimitReached } from '../../../use-cases/limits/counter.ts'
import type { FieldProblem } from '../../components/layout.tsx'
import { frameOf } from '../../routing/language.ts'
import { isFromOurPage } from '../../routing/origin.ts'
import { sendMessage, sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { type Form, startForm, takeTurn } from '../base/visit.ts'
import { standingOf } from '../company/overview.tsx'
import { CompanyLink, type Factor, PersonLink } from './link.tsx'

export async function showLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const linked = await findLink(deps, String(req.params.token))
  if (!linked) return refuseLink(deps, req, res)
  const frame = frameOf(req, linked.vault)
  if (linked.kybId)
    sendPage(res, 200, await companyLink(deps, req, linked, req.query.by === 'code' ? 'code' : 'password'))
  else sendPage(res, 200, <PersonLink frame={frame} linked={linked} />)
}

/** Reports that the link is not valid. The vault is known only for an expired link. */
async function refuseLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const expired = await findExpiredLink(deps, String(req.params.token))
  if (expired) sendMessage(res, 404, frameOf(req, expired.vault), 'link.expired', expired.companyName)
  else sendMessage(res, 404, frameOf(req, null), 'link.gone')
}

/** Starts a session. Requires POST, because mail scanners follow links. */
export async function followLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const linked = await findLink(deps, String(req.params.token))
  if (!linked) return refuseLink(deps, req, res)
  if (!isFromOurPage(deps, req)) return sendMessage(res, 403, frameOf(req, linked.vault), 'stale')
  // A person's link is personal, so the person needs no password.
  if (!linked.kybId) return startFormAndRedirect(deps, req, res, 'person', linked)
  await followCompanyLink(deps, req, res, linked)
}

async function followCompanyLink(deps: RouteDeps, req: Request, res: Response, linked: LinkedVerification) {
  const { t, language } = frameOf(req, linked.vault)
  const { code, password, send_code: isRequest } = (req.body ?? {}) as Sent
  const factor = isRequest === undefined && code === undefined ? 'password' : 'code'
  const refuse = async (status: number, message: string) =>
    sendPage(res, status, await companyLink(deps, req, linked, factor, [{ field: factor, message }]))
  try {
    if (isRequest !== undefined) {
      await sendFormCode(deps, linked, String(req.params.token), language)
      return res.redirect(303, '?by=code')
    }
    const isRight =
      factor === 'code'
        ? await tryFormCode(deps, linked, String(code))
        : await tryKybPassword(
            deps,
            linked.vault.id,
            String(linked.kybId),
            // Mail programs break the password, which has no spaces, at the end of a line.
            String(password ?? '').replace(/\s/g, ''),
            ipOf(req),
          )
    if (!isRight) return refuse(422, t(`link.company.${factor}.wrong`))
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    res.setHeader('Retry-After', Math.ceil(error.waitMs / 1000))
    return refuse(429, t(`link.company.${factor}.tooMany`))
  }
  await startFormAndRedirect(deps, req, res, 'kyb', linked)
}

async function companyLink(
  deps: RouteDeps,
  req: Request,
  linked: LinkedVerification,
  factor: Factor,
  problems: readonly FieldProblem[] = [],
) {
  const { id, vault } = linked
  const frame = frameOf(req, vault)
  const owner = { id, vaultId: vault.id }
  const form = await takeTurn(deps, owner, () => getCompanyForm(deps, owner))
  return (
    <CompanyLink
      frame={frame}
      linked={linked}
      factor={factor}
      // Also without an address, so that the page does not reveal whether the client sent one.
      sendsCodes={emailsAreOn(deps, vault)}
      standing={form && standingOf({ frame, ...form })}
      problems={problems}
    />
  )
}

async function startFormAndRedirect(
  deps: RouteDeps,
  req: Request,
  res: Response,
  form: Form,
  linked: LinkedVerification,
): Promise<void> {
  const path = await startForm(deps, res, form, linked, String(req.params.token))
  if (path === null) sendMessage(res, 404, frameOf(req, linked.vault), 'link.gone')
  else res.redirect(303, path)
}
