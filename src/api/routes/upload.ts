/** Receives an upload over a multipart form, and attaches it once for each Idempotency-Key. */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { findProblems, parseOrRefuse } from '../../contracts/check.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { FileOwner, UploadedFile } from '../../domain/base/file.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { NO_FILE, receiveUpload } from '../../http/upload.ts'
import type { Effect } from '../../use-cases/base/effect.ts'
import { discardUpload, shareOfUpload } from '../../use-cases/case/upload.ts'
import type { RunOnce } from '../routing/idempotency.ts'

/** Returns whether this may be a repeated request, whose owner may be locked in the meantime. */
export const mayBeRepeated = (req: Request): boolean => req.get('Idempotency-Key') !== undefined

interface Upload<F extends z.ZodType<object>> {
  readonly owner: FileOwner
  readonly vaultId: string
  /** The schema of the fields that accompany the file. */
  readonly fields: F
  /** Attaches the file and returns its ID, which differs if an earlier run of the request has attached another one. */
  readonly attach: (fields: z.output<F>, file: UploadedFile, effect: Effect) => Promise<string>
}

/** Discards the file unless it is attached. */
export async function receiveOnce<F extends z.ZodType<object>>(
  { deps, req, res, once }: { deps: RouteDeps; req: Request; res: Response; once: RunOnce },
  { owner, vaultId, fields, attach }: Upload<F>,
) {
  const file = await receiveUpload(deps, owner, shareOfUpload(owner, vaultId, true), req, res)
  if (!file) throw new RequestRefused(NO_FILE, ...findProblems(fields, { ...req.body }))
  const { name, sha256 } = file
  let attachedId: string | null = null
  try {
    const sent = parseOrRefuse(fields, { ...req.body })
    // Identifies the upload by its checksum, because the boundary of a form differs each time.
    const answer = await once({ ...sent, name, sha256 }, async (effect) => ({
      status: 201 as const,
      body: { name, id: await attach(sent, file, effect) },
    }))
    attachedId = answer.body.id
    return answer
  } finally {
    if (attachedId !== file.id) await discardUpload(deps, file.id)
  }
}
