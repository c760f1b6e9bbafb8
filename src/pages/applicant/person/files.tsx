/** A person's pictures: received and looked at, taken back, and shown to the browser that sent them. */
import type { Request, Response } from 'express'
import { recordLook } from '../../../db/cases/file.ts'
import { decideIdentification } from '../../../domain/identification/identification.ts'
import { PERSON_FILES, type PersonFile } from '../../../domain/identification/person-form.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { inTurn } from '../../../http/upload.ts'
import { LANES, type Look, lookAt, viewOf } from '../../../storage/photo.ts'
import { sendMessage, sendPage } from '../../answer.tsx'
import { labelOf } from '../../components/fields.tsx'
import type { Sent } from '../../form-values.ts'
import { fileRefusal, receiveFile } from '../files.ts'
import { run, statusOf } from '../save.tsx'
import { Picture } from './picture.tsx'
import { type PersonVisit, pictureOf } from './visit.ts'

const MAX_WAITING = 20
const RETRY_AFTER_SECONDS = '5'

/** The page of the picture, with what is wrong with the file. */
function answer(res: Response, visit: PersonVisit, attribute: PersonFile, status: number, message: string) {
  const path = `${visit.base}/${attribute}`
  const there = { ...visit, frame: { ...visit.frame, path } }
  const problems = [{ field: `${attribute}-file`, message }]
  sendPage(res, status, <Picture visit={there} attribute={attribute} problems={problems} />)
}

/** Nobody photographs a face as a PDF; what a document's PDF shows, the reviewer sees. */
const lookOfPdf = (attribute: PersonFile): Look =>
  attribute === 'selfie' ? { refused: 'unreadable' } : { warnings: [] }

export async function addPicture(
  deps: RouteDeps,
  visit: PersonVisit,
  attribute: PersonFile,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame, base, identification, target } = visit
  const owner = { identificationId: identification.id }
  let refused: 'unreadable' | 'small' | null = null
  let isGood = false
  await receiveFile(deps, visit, req, res, {
    owner,
    refusal: decideIdentification(identification.state, 'attach'),
    attach: async ({ id: fileId, contentType }) => {
      const look =
        contentType === 'application/pdf'
          ? lookOfPdf(attribute)
          : await inTurn(owner, target.vaultId, () =>
              LANES.arriving(async () => lookAt(await deps.blobs.read(fileId))),
            )
      if ('refused' in look) {
        refused = look.refused
        return [{ code: 'invalid', field: 'file' }]
      }
      isGood = look.warnings.length === 0
      await recordLook(deps.db, fileId, { ...look, sessionHash: visit.sessionHash })
      return run(deps, visit, target, { kind: 'attach', attribute, fileId })
    },
    answer: (problems) => {
      const [first] = problems
      // Whoever has seen the picture before it was sent need not look at it once more.
      const isSeen = isGood && (req.body as Sent | undefined)?.seen === 'yes'
      if (!first) return void res.redirect(303, `${base}/${isSeen ? 'next/' : ''}${attribute}`)
      // The person does not agree any more.
      if (first.code === 'requirements_due') return void res.redirect(303, `${base}/consent`)
      const message = refused
        ? frame.t(`problem.picture.${refused}`, { label: labelOf(frame.t, attribute) })
        : fileRefusal(frame, first, attribute)
      answer(res, visit, attribute, statusOf(problems), message)
    },
  })
}

export async function removePicture(
  deps: RouteDeps,
  visit: PersonVisit,
  attribute: PersonFile,
  res: Response,
): Promise<void> {
  const problems = await run(deps, visit, visit.target, { kind: 'detach', attribute })
  const [first] = problems
  if (!first) return res.redirect(303, `${visit.base}/${attribute}`)
  answer(res, visit, attribute, statusOf(problems), fileRefusal(visit.frame, first, attribute))
}

/** Only what this session sent, and never as it was sent. */
export async function showPicture(
  deps: RouteDeps,
  visit: PersonVisit,
  fileId: string,
  res: Response,
): Promise<void> {
  const picture = PERSON_FILES.map((attribute) => pictureOf(visit, attribute)).find(
    (each) => each?.id === fileId,
  )
  if (!picture?.isShown) return sendMessage(res, 404, visit.frame, 'missing')
  if (LANES.applicants.pendingCount >= MAX_WAITING) {
    res.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    return sendMessage(res, 503, visit.frame, 'busy')
  }
  // Whoever has left is not waited for.
  const view = await LANES.applicants(async () =>
    res.destroyed ? null : viewOf(await deps.blobs.read(fileId)),
  )
  if (!view) return
  res
    .setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
    .setHeader('Content-Disposition', 'inline')
    .type('jpeg')
    .send(view)
}
