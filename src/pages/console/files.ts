/** Documents, shown to operators; each reading is written down. */
import type { Response } from 'express'
import { validate as isUuid } from 'uuid'
import { findAttachedFile } from '../../db/cases/file.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendFile } from '../../http/file-answer.ts'
import { giveFile } from '../../use-cases/cases/file-reading.ts'
import { sendMessage } from '../answer.tsx'
import type { ConsoleVisit } from './visit.ts'

/** A picture is shown in the page, as a new picture; whatever else is saved. */
export async function showFile(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
): Promise<void> {
  const file = isUuid(id) ? await findAttachedFile(deps.db, id) : null
  if (!file) return sendMessage(res, 404, visit.frame, 'missing')
  const { content } = (await giveFile(deps, { caller: visit, res }, file, { asView: true })).body
  sendFile(res, 200, content)
}
