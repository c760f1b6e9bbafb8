/** Receives a file from a form. Attaches the file, or discards it and reports the reason. */
import type { Request, Response } from 'express'
import { type ErrorCode, type Problem, RequestRefused, statusOf } from '../../../domain/base/errors.ts'
import type { FileOwner, UploadedFile } from '../../../domain/base/file.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { receiveUpload } from '../../../http/upload.ts'
import { countApplicantRequest } from '../../../use-cases/applicant/command.ts'
import { isSessionOpen } from '../../../use-cases/applicant/session.ts'
import { discardUpload, shareOfUpload } from '../../../use-cases/case/upload.ts'
import { withoutLabel } from '../../components/field-notes.tsx'
import { labelOf } from '../../components/fields.tsx'
import type { Frame } from '../../components/layout.tsx'
import { isFromHere, isOurForm } from '../../routing/origin.ts'
import { refusalText } from '../../routing/refusals.ts'
import { asksForJson, refuseClosed, sendMessage } from '../../routing/response.tsx'
import type { TextName } from '../../texts/index.ts'
import type { ApplicantVisit } from './visit.ts'

/** The texts that name the field of the file. */
const FILE_TEXTS: Partial<Record<ErrorCode, TextName>> = {
  unsupported_file_type: 'problem.file.type',
  file_too_large: 'problem.file.size',
  required: 'problem.file.required',
}

export function fileRefusal(frame: Frame, problem: Problem, field: string): string {
  const { code, format } = problem
  const text = format ? (`problem.file.${format}` as const) : FILE_TEXTS[code]
  const refusal = text ? null : refusalText(frame, problem, 'applicant')
  return refusal ?? frame.t(text ?? 'problem.file.other', { label: labelOf(frame.t, field) })
}

interface FilePlace {
  readonly owner: FileOwner
  /** The problem that prevents uploads in the current state, or null. */
  readonly refusal: Problem | null
  readonly attach: (file: UploadedFile) => Promise<readonly Problem[]>
  /** The name of the field to which the JSON response assigns the problems. */
  readonly field?: string
  readonly answer: (problems: readonly Problem[]) => void
}

export async function receiveFile(
  deps: RouteDeps,
  visit: ApplicantVisit,
  req: Request,
  res: Response,
  { owner, refusal, attach, field = 'file', answer: show }: FilePlace,
): Promise<void> {
  const answer = (problems: readonly Problem[], file?: string) => {
    if (!asksForJson(req)) return show(problems)
    // The row of the file is below the label.
    const label = labelOf(visit.frame.t, field)
    const told = problems.map((each) => ({
      field,
      message: withoutLabel(label, fileRefusal(visit.frame, each, field)),
    }))
    res.status(problems.length > 0 ? statusOf(problems) : 200).json({ file, problems: told })
  }
  if (refusal) return answer([refusal])
  if (!isFromHere(req)) return sendMessage(res, 403, visit.frame, 'stale')
  let file: UploadedFile | null
  try {
    await countApplicantRequest(deps, visit, 'uploads')
    file = await receiveUpload(deps, owner, shareOfUpload(owner, visit.vaultId, false), req, res)
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    return answer(error.problems)
  }
  // The session ends if the client replaces the link while the file arrives.
  if (!(await isSessionOpen(deps, visit))) {
    if (file) await discardUpload(deps, file.id)
    return refuseClosed(req, res)
  }
  const isOurs = isOurForm(req, visit.csrf)
  const problems: readonly Problem[] =
    isOurs && file ? await attach(file) : [{ code: 'required', field: 'file' }]
  if (file && problems.length > 0) await discardUpload(deps, file.id)
  if (isOurs) answer(problems, file?.id)
  else sendMessage(res, 403, visit.frame, 'stale')
}
