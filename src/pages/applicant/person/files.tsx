/** Receives, removes and shows a person's photos. */
import type { Request, Response } from 'express'
import { RequestRefused, statusOf } from '../../../domain/base/errors.ts'
import { decideIdentification } from '../../../domain/identification/identification.ts'
import { acceptsPdf, filesIn, type PersonFile } from '../../../domain/identification/person-form.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { attachPhoto, detachPhoto, viewPhoto } from '../../../use-cases/applicant/person-form.ts'
import { PhotoRefused } from '../../../use-cases/case/photo.ts'
import { labelOf } from '../../components/fields.tsx'
import { collectProblems } from '../../routing/refusals.ts'
import { sendMessage, sendMissing, sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { fileRefusal, receiveFile } from '../base/files.ts'
import { PhotoPage } from './photo.tsx'
import { type PersonVisit, photoOf } from './visit.ts'

const RETRY_AFTER_SECONDS = '5'

/** Shows the photo's page, with the message next to the file input. */
function answer(res: Response, visit: PersonVisit, attribute: PersonFile, status: number, message: string) {
  const path = `${visit.base}/${attribute}`
  const there = { ...visit, frame: { ...visit.frame, path } }
  const problems = [{ field: `${attribute}-file`, message }]
  sendPage(res, status, <PhotoPage visit={there} attribute={attribute} problems={problems} />)
}

export async function addPhoto(
  deps: RouteDeps,
  visit: PersonVisit,
  attribute: PersonFile,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame, base, identification } = visit
  let refused: PhotoRefused | null = null
  let isGood = false
  await receiveFile(deps, visit, req, res, {
    owner: { identificationId: identification.id },
    refusal: decideIdentification(identification.state, 'attach'),
    attach: (file) =>
      collectProblems(async () => {
        try {
          isGood = await attachPhoto(deps, visit, visit, attribute, file)
        } catch (error) {
          if (error instanceof PhotoRefused) refused = error
          throw error
        }
      }),
    answer: (problems) => {
      const [first] = problems
      // If the script has shown the photo and the same warnings, the applicant continues with the next page.
      const { seen } = (req.body ?? {}) as Sent
      const isSeen = seen === 'warned' || (isGood && seen === 'yes')
      if (!first) return void res.redirect(303, `${base}/${isSeen ? 'next/' : ''}${attribute}`)
      // The applicant has withdrawn consent in the meantime.
      if (first.code === 'requirements_due') return void res.redirect(303, `${base}/consent`)
      // A selfie cannot be a PDF, so the message does not mention PDF.
      const isOtherType = !acceptsPdf(attribute) && first.code === 'unsupported_file_type' && !first.format
      const reason = isOtherType ? 'unreadable' : refused?.reason
      const isDocument = reason === 'unreadable' && acceptsPdf(attribute)
      const message = reason
        ? frame.t(isDocument ? 'problem.file.unreadable' : `problem.picture.${reason}`, {
            label: labelOf(frame.t, attribute),
          })
        : fileRefusal(frame, first, attribute)
      answer(res, visit, attribute, statusOf(problems), message)
    },
  })
}

export async function removePhoto(deps: RouteDeps, visit: PersonVisit, attribute: PersonFile, res: Response) {
  const problems = await collectProblems(() => detachPhoto(deps, visit, visit, attribute))
  const [first] = problems
  if (!first) return res.redirect(303, `${visit.base}/${attribute}`)
  answer(res, visit, attribute, statusOf(problems), fileRefusal(visit.frame, first, attribute))
}

/** Shows a photo without its metadata, and only to the session that uploaded it. */
export async function showPhoto(deps: RouteDeps, visit: PersonVisit, fileId: string, res: Response) {
  const picture = filesIn(visit.form)
    .map((attribute) => photoOf(visit, attribute))
    .find((each) => each?.id === fileId)
  if (!picture?.isShown) return sendMissing(res, visit)
  try {
    const view = await viewPhoto(deps, visit, fileId, () => res.destroyed)
    if (!view) return
    res
      .setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
      .setHeader('Content-Disposition', 'inline')
      .type('jpeg')
      .send(view)
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    if (error.problems.some(({ code }) => code === 'not_found')) return sendMissing(res, visit)
    res.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    sendMessage(res, 503, visit.frame, 'busy')
  }
}
