/** What a decision would tell the applicant, made of the decision as it is typed: nothing is decided. */

import type { Request, Response } from 'express'
import { decisionOf } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { decideKybBody } from '../../contracts/kyb-application.ts'
import type { Correction } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { getVault } from '../../use-cases/access/vaults.ts'
import { previewVerificationDecision } from '../../use-cases/identification/decision.ts'
import { previewKybDecision } from '../../use-cases/kyb/decision.ts'
import { sendPage } from '../answer.tsx'
import { endOf } from '../applicant/company/summary.tsx'
import { correctionText } from '../applicant/correction.ts'
import { labelOf } from '../components/fields.tsx'
import { type FieldProblem, type Frame, Page } from '../components/layout.tsx'
import { readDecision, refusedDecision } from './decision.ts'
import type { ConsoleVisit } from './visit.ts'

/** The pages' own words, and whatever is to be mended. */
interface Told {
  readonly title: string
  readonly text?: string
  readonly notice: { readonly title: string; readonly text: string } | null
  readonly mend: readonly { readonly label: string; readonly text: string | null }[]
}

export async function previewApplication(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  req: Request,
  res: Response,
): Promise<void> {
  const frame = await applicantsFrame(deps, visit, target)
  const read = readDecision(frame, decideKybBody, req)
  if ('problems' in read) return sendRefused(res, frame, read.problems)
  const decided = { outcome: read.body.outcome, ...decisionOf(read.body) }
  await sendUnlessRefused(res, frame, async () =>
    toldOfApplication(frame, await previewKybDecision(deps, visit, target, decided)),
  )
}

export async function previewIdentification(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'identification'>,
  req: Request,
  res: Response,
): Promise<void> {
  const frame = await applicantsFrame(deps, visit, target)
  const read = readDecision(frame, decideIdentificationBody, req)
  if ('problems' in read) return sendRefused(res, frame, read.problems)
  const decided = { outcome: read.body.outcome, ...decisionOf(read.body) }
  await sendUnlessRefused(res, frame, async () => {
    const { identification, application } = await previewVerificationDecision(deps, visit, target, decided)
    return identification.kind === 'person'
      ? toldOfPerson(frame, identification)
      : toldOfCompany(frame, application, identification)
  })
}

async function sendUnlessRefused(res: Response, frame: Frame, tell: () => Promise<Told>): Promise<void> {
  try {
    sendPreview(res, frame, await tell())
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    sendRefused(res, frame, refusedDecision(frame, error.problems).problems)
  }
}

/** As the applicant's pages look, in the operator's language, which is not to be chosen there. */
async function applicantsFrame(
  deps: RouteDeps,
  { frame }: ConsoleVisit,
  { vaultId }: EntityRef,
): Promise<Frame> {
  const vault = await getVault(deps, vaultId)
  return { ...frame, vault: { ...vault, languages: [frame.language] }, vaultName: vault.name }
}

/** What stands at the fields. */
const mendOf = (frame: Frame, corrections: readonly Correction[], files?: KybApplication['files']) =>
  [...new Set(corrections.map(({ path }) => path))]
    .filter((path) => path !== 'application')
    .map((path) => ({
      label: labelOf(frame.t, path.split('.').at(-1) ?? ''),
      text: correctionText(frame, corrections, path, (id) => files?.get(id)?.name),
    }))

function toldOfApplication(frame: Frame, { review, corrections, files }: KybApplication): Told {
  const { t } = frame
  const comment = review?.clientComment
  if (review?.outcome === 'revision_requested')
    return {
      title: t('overview.title'),
      notice: { title: t('overview.revision'), text: comment ?? t('overview.revisionText') },
      mend: mendOf(frame, corrections, files),
    }
  const title = t(review?.outcome === 'approved' ? 'done.approved.title' : 'done.rejected.title')
  return { title, notice: comment ? { title: t('done.comment'), text: comment } : null, mend: [] }
}

/** By the end of its form, which is there once the review of the application is. */
function toldOfCompany(
  frame: Frame,
  application: KybApplication | null,
  identification: Identification,
): Told {
  const { t, vaultName } = frame
  if (!application || application.state.status === 'open')
    return { title: t('console.preview'), text: t('console.preview.unchanged'), notice: null, mend: [] }
  const { stage, comment } = endOf(application, identification)
  const isOpen = stage === 'sent' || stage === 'asked'
  return {
    title: t(`done.${stage}.title`),
    ...(isOpen && { text: t(`done.${stage}.text`, { vault: vaultName ?? '' }) }),
    notice: comment ? { title: t('done.comment'), text: comment } : null,
    mend: [],
  }
}

function toldOfPerson(frame: Frame, { state, review }: Identification): Told {
  const { t, vaultName } = frame
  const { clientComment: comment = null, corrections = [] } = review ?? {}
  const { verification } = state
  if (verification === 'initiated')
    return {
      title: t('link.person.title'),
      notice: { title: t('person.again'), text: comment ?? t('person.againText') },
      mend: mendOf(frame, corrections),
    }
  const outcome = verification === 'attention' ? 'waiting' : verification
  const isHeard = outcome !== 'waiting' && comment !== null
  return {
    title: t(`person.${outcome}`),
    text: t(`person.${outcome}.text`, { vault: vaultName ?? '' }),
    notice: isHeard ? { title: t('done.comment'), text: comment } : null,
    mend: [],
  }
}

function sendRefused(res: Response, frame: Frame, problems: readonly FieldProblem[]): void {
  const { t } = frame
  const page = (
    <Page frame={frame} title={t('console.preview')} problems={problems}>
      <p>{t('console.preview.nothing')}</p>
    </Page>
  )
  sendPage(res, 422, page)
}

function sendPreview(res: Response, frame: Frame, { title, text, notice, mend }: Told): void {
  const page = (
    <Page frame={frame} title={title}>
      <p class="quiet">{frame.t('console.preview.text')}</p>
      {text ? <p>{text}</p> : null}
      {notice ? (
        <div class="notice">
          <h2>{notice.title}</h2>
          <p>{notice.text}</p>
        </div>
      ) : null}
      {mend.map(({ label, text: wanted }) => (
        <div key={label} class="field">
          <strong>{label}</strong>
          <p class="comment">{wanted}</p>
        </div>
      ))}
    </Page>
  )
  sendPage(res, 200, page)
}
