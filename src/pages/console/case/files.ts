/** Sends documents to operators. The timeline records each access. */
import type { Response } from 'express'
import { validate as isUuid } from 'uuid'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { sendFile } from '../../../http/file-response.ts'
import { readFile } from '../../../use-cases/case/file-reading.ts'
import type { ConsoleVisit } from '../base/visit.ts'

/** Sends a document. The page shows images, which are sent without metadata. Browsers save all other files. */
export async function showFile(deps: RouteDeps, visit: ConsoleVisit, id: string, res: Response) {
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  sendFile(res, 200, await readFile(deps, visit, byOf(visit, res.req), res, id, { asView: true }))
}
