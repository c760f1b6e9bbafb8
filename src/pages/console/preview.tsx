/** What a decision would tell the applicant, made of the decision as it is typed: nothing is decided. */

import type { Request, Response } from 'express'
import { v7 as newId } from 'uuid'
import { decisionOf } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { decideKybBody } from '../../contracts/kyb-application.ts'
import { findVault } from '../../db/access/vault.ts'
import { findDecidedIdentification } from '../../db/cases/identification.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import type { Correction } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { moveTo } from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { transitionIdentification } from '../../domain/identification/transition.ts'
import { DECISION_OF } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { transitionKyb } from '../../domain/kyb/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'
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

const asking = ({ actor }: ConsoleVisit) => ({ now: new Date(), newId, actor })

/** What is told is told once it stands, whoever has to confirm it. */
const ALONE = { fourEyes: [], highRiskCountries: [] }

export async function previewApplication(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  req: Request,
  res: Response,
): Promise<void> {
  const application = await findKybApplication(deps.db, target.vaultId, target.id)
  if (!application) throw new RequestRefused({ code: 'not_found' })
  const frame = await applicantsFrame(deps, visit, target)
  const read = readDecision(frame, decideKybBody, req)
  if ('problems' in read) return sendRefused(res, frame, read.problems)
  const { body } = read
  const command = { kind: DECISION_OF[body.outcome], ...decisionOf(body) }
  const trial = transitionKyb({ ...application, policy: ALONE }, command, asking(visit))
  if ('problems' in trial) return sendRefused(res, frame, refusedDecision(frame, trial.problems).problems)
  sendPreview(res, frame, toldOfApplication(frame, trial.record))
}

export async function previewIdentification(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'identification'>,
  req: Request,
  res: Response,
): Promise<void> {
  const identification = await findDecidedIdentification(deps.db, target.vaultId, target.id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  const frame = await applicantsFrame(deps, visit, target)
  const read = readDecision(frame, decideIdentificationBody, req)
  if ('problems' in read) return sendRefused(res, frame, read.problems)
  const { body } = read
  const command = { kind: moveTo(body.outcome), ...decisionOf(body) }
  const trial = transitionIdentification({ ...identification, policy: ALONE }, command, asking(visit))
  if ('problems' in trial) return sendRefused(res, frame, refusedDecision(frame, trial.problems).problems)
  const { kind, kybId } = identification
  if (kind === 'person') return sendPreview(res, frame, toldOfPerson(frame, trial.record))
  const application = kybId && (await findKybApplication(deps.db, target.vaultId, kybId))
  sendPreview(res, frame, toldOfCompany(frame, application || null, trial.record))
}

/** As the applicant's pages look, in the operator's language, which is not to be chosen there. */
async function applicantsFrame(
  { db }: RouteDeps,
  { frame }: ConsoleVisit,
  { vaultId }: EntityRef,
): Promise<Frame> {
  const vault = await findVault(db, vaultId)
  return {
    ...frame,
    vault: vault && { ...vault, languages: [frame.language] },
    vaultName: vault?.name ?? null,
  }
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
