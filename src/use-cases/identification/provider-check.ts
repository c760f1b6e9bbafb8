/** Use cases for verification providers, which send signed results and read the files of checks. */
import { followCheckLink, uncountCheckLinkOpening } from '../../db/cases/check-link.ts'
import { findCheckTrace } from '../../db/cases/verification-check.ts'
import { type Database, withSpan } from '../../db/connection/database.ts'
import { findAttachedFile } from '../../db/files/file.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { FileContent } from '../../domain/base/file.ts'
import type { AttachedFile } from '../../domain/entity/attached-file.ts'
import type { CheckResult } from '../../domain/identification/identification.ts'
import { inSpan, NO_SPAN } from '../../process/span.ts'
import { completeCheck } from '../../temporal/facts.ts'
import { DEADLINE_MS } from '../../temporal/gateway.ts'
import { findRefusal } from '../../webhooks/verify-webhook.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type FileReceiver, readChecked } from '../case/file-reading.ts'
import { answerCheck } from './check-answer.ts'

/** Checks the signature of `body`, the exact bytes received. Throws `invalid_signature`. */
export function requireSignature(body: Buffer, signature: string | string[] | undefined, secret: string) {
  if (findRefusal(body, signature, secret)) throw new RequestRefused({ code: 'invalid_signature' })
}

/**
 * Records a result and notifies the workflow. Throws `not_found`, and `check_answered` if the check has another result.
 */
export async function answerProviderCheck(
  { db, temporal, log }: Pick<Deps, 'db' | 'temporal' | 'log'>,
  checkId: string,
  result: CheckResult,
): Promise<void> {
  await inAnswerSpan(db, checkId, async (own) => {
    const { check, isAwaited } = await answerCheck(own, checkId, result)
    if (!isAwaited) return
    // The row stores the result. If the signal fails, housekeeping sends it again.
    await temporal
      .withDeadline(Date.now() + DEADLINE_MS, () => completeCheck(own, temporal, check))
      .catch((err) => log.warn({ err, checkId }, 'workflow was not notified of a check result'))
  })
}

/** Runs the work in the trace that started the check, with a link to the provider's request. */
async function inAnswerSpan<T>(db: Database, checkId: string, work: (db: Database) => Promise<T>) {
  const { span } = db
  if (span === NO_SPAN) return work(db)
  const attributes = { 'gatehouse.check.id': checkId }
  const parent = await findCheckTrace(db, checkId)
  const links = [span.traceparent]
  return inSpan(span, 'answer check', { attributes, parent, links }, (own) => work(withSpan(db, own)))
}

/** Returns the file of a link and counts the access. Throws `not_found` if the link expired or was used too often. */
export async function getCheckFile({ db }: WithDb, token: string): Promise<AttachedFile> {
  const fileId = await followCheckLink(db, token)
  return requireFound(fileId ? await findAttachedFile(db, fileId) : null)
}

/** Sends the original file, because its metadata is evidence. A failed transfer does not count as an access. */
export const readCheckFile = (
  deps: Pick<Deps, 'db' | 'blobs' | 'log'>,
  receiver: FileReceiver,
  token: string,
  file: AttachedFile,
): Promise<FileContent> =>
  readChecked(deps, { actor: 'provider' }, receiver, file).catch(async (error) => {
    await uncountCheckLinkOpening(deps.db, token)
    throw error
  })
