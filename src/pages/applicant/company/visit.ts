/** A company's form as one browser sees it. */

import type { Request } from 'express'
import { attachedFiles } from '../../../db/cases/file.ts'
import { findKybApplication, findKybOfIdentification } from '../../../db/cases/kyb-application.ts'
import type { EntityRef } from '../../../domain/entity.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import { type Due, reasonsFor } from '../../../domain/kyb/requirements.ts'
import { circumstancesOf } from '../../../domain/kyb/transition.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { findVisit, type Visit } from '../../visit.ts'
import { correctionText } from '../correction.ts'
import { whyNot } from '../due.ts'

export interface CompanyVisit extends Visit {
  readonly target: EntityRef<'kyb'>
  readonly application: KybApplication
  /** What is known of its files. */
  readonly attached: Awaited<ReturnType<typeof attachedFiles>>
  /** What is due, and why. */
  readonly due: readonly Due[]
  /** Below which links of the persons begin. */
  readonly publicUrl: string
}

/** Null when the browser's session does not open this application. */
export async function findCompanyVisit(
  deps: RouteDeps,
  req: Request,
  id: string,
): Promise<CompanyVisit | null> {
  const visit = await findVisit(deps, req, 'kyb', id)
  if (!visit) return null
  const { vaultId } = visit
  const kyb = await findKybOfIdentification(deps.db, vaultId, id)
  const application = kyb && (await findKybApplication(deps.db, vaultId, kyb.id))
  if (!application) return null
  return {
    ...visit,
    target: { entity: 'kyb', id: application.id, vaultId },
    application,
    attached: await attachedFiles(deps.db, { kybApplicationId: application.id }),
    due: reasonsFor(application.currentlyDue, application.content, circumstancesOf(application, new Date())),
    publicUrl: deps.config.PUBLIC_URL,
  }
}

/** What a reviewer says of the field that is to be mended, and why what is in it does not count; null where it is good. */
export const commentOn =
  ({ application, due, frame }: CompanyVisit) =>
  (path: string): string | null =>
    [
      correctionText(frame, application.corrections, path, (id) => application.files.get(id)),
      whyNot(frame, due, path),
    ]
      .filter(Boolean)
      .join(' ') || null
