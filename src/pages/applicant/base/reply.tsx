/** Component: a reply with which an applicant disputes a finding. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { readFinding } from '../../../contracts/decision.ts'
import { replyBody } from '../../../contracts/kyb-application.ts'
import { type Problem, statusOf } from '../../../domain/base/errors.ts'
import { type Correction, MAX_REPLY, type Reply, type Replying } from '../../../domain/decision/decision.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { describeInput, fieldClass, Hint, ProblemText } from '../../components/field-notes.tsx'
import { PostForm } from '../../components/form.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { collectProblems, explain } from '../../routing/refusals.ts'
import { sendPage } from '../../routing/response.tsx'
import { plain, type Sent } from '../../values/form-values.ts'
import { correctionText } from './correction.ts'
import type { ApplicantVisit } from './visit.ts'

export type Finding = Pick<Correction, 'path' | 'fileId'>

export const findingsOf = (corrections: readonly Correction[]): Finding[] => {
  const places = new Map(corrections.map((each) => [replyPlace(each), each]))
  return [...places.values()].map(({ path, fileId }) => ({ path, ...(fileId !== undefined && { fileId }) }))
}

export const replyPlace = ({ path, fileId }: Finding): string =>
  `reply.${path}${fileId === undefined ? '' : `#${fileId}`}`

const textPlace = (finding: Finding): string => `${replyPlace(finding)}-text`

/** Returns the address of the reply form for a finding at the path, or null if the path has no finding. */
export const replyHref = (base: string, corrections: readonly Correction[], path: string): string | null => {
  const finding = corrections.find((each) => each.path === path)
  return finding ? `${base}/check#${replyPlace(finding)}` : null
}

export interface ReplyFormProps {
  readonly visit: Pick<ApplicantVisit, 'frame' | 'csrf' | 'base'>
  readonly finding: Finding
  readonly label: string
  readonly reply?: string
  readonly problems: readonly FieldProblem[]
  readonly typed: Readonly<Record<string, unknown>>
}

export function ReplyForm({ visit, finding, label, ...fields }: ReplyFormProps) {
  const { t } = visit.frame
  return (
    <details id={replyPlace(finding)} open={textPlace(finding) in fields.typed}>
      <summary>
        {t(fields.reply === undefined ? 'reply.correct' : 'reply.change')}
        <span class="unseen">: {label}</span>
      </summary>
      <PostForm visit={visit} class="reply-form" action={`${visit.base}/replies`} data-unsent>
        <ReplyFields frame={visit.frame} finding={finding} {...fields} />
        <Button kind="secondary">{t('reply.save')}</Button>
      </PostForm>
    </details>
  )
}

interface ReplyFieldsProps extends Pick<ReplyFormProps, 'finding' | 'problems' | 'typed'> {
  readonly frame: Frame
  readonly reply?: string | undefined
}

export function ReplyFields({ frame, finding, reply, problems, typed }: ReplyFieldsProps) {
  const text = textPlace(finding)
  const problem = problems.find(({ field }) => field === text)
  return (
    <>
      <input type="hidden" name="path" value={finding.path} />
      {finding.fileId === undefined ? null : <input type="hidden" name="file_id" value={finding.fileId} />}
      <ReplyText frame={frame} id={text} value={typed[text] ?? reply} problem={problem} required />
    </>
  )
}

interface ReplyTextProps {
  readonly frame: Frame
  readonly id: string
  readonly value?: unknown
  readonly problem?: FieldProblem | undefined
  readonly required?: boolean
}

export function ReplyText({ frame: { t }, id, value, problem, required = false }: ReplyTextProps) {
  const notes = { hint: t('reply.hint'), problem }
  return (
    <div class={fieldClass(notes)}>
      <label for={id}>
        {t('reply.label')} {required ? null : <span class="optional">{t('page.optional')}</span>}
      </label>
      <Hint id={id} {...notes} />
      <ProblemText id={id} label={t('reply.label')} {...notes} />
      <textarea
        id={id}
        name="reply"
        rows={3}
        maxLength={MAX_REPLY}
        required={required}
        {...describeInput(id, notes)}
      >
        {plain(value)}
      </textarea>
    </div>
  )
}

interface RepliesProps {
  readonly visit: Pick<ApplicantVisit, 'frame' | 'csrf' | 'base'>
  readonly replies: readonly Reply[]
  readonly labelOf: (reply: Reply) => string
  readonly problems: readonly FieldProblem[]
  readonly typed: Readonly<Record<string, unknown>>
}

/** Shows the findings that the applicant disputes, with the replies, which the applicant can change. */
export function Replies({ visit, replies, labelOf, ...again }: RepliesProps) {
  if (replies.length === 0) return null
  const { frame } = visit
  return (
    <Card id="replies-title" icon="message-square-text" title={frame.t('reply.title')}>
      <ul class="list replies">
        {replies.map((each) => (
          <li key={replyPlace(each)}>
            <strong>{labelOf(each)}</strong>
            <p class="quiet lines">{correctionText(frame, [each], each.path)}</p>
            <p class="lines">{each.reply}</p>
            <ReplyForm visit={visit} finding={each} label={labelOf(each)} reply={each.reply} {...again} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Returns a problem for each unanswered finding, and for each other reason why the submission was refused. */
export function findSubmitProblems(
  frame: Frame,
  findings: readonly (Finding & { readonly label: string })[],
  refused: readonly Problem[],
): FieldProblem[] {
  const others = refused.filter(({ field }) => !findings.some(({ path }) => path === field))
  return [
    ...findings.map((each) => ({
      field: replyPlace(each),
      message: frame.t('reply.unanswered', { label: each.label }),
    })),
    ...explain(frame, others),
  ]
}

export const replyProblem = ({ t }: Frame, place: string): FieldProblem => ({
  field: place,
  message: t('reply.problem', { max: MAX_REPLY }),
})

interface SaveReplyOptions {
  readonly next: string
  readonly send: (reply: Omit<Replying, 'kind'>) => Promise<void>
  readonly showAgain: (
    problems: FieldProblem[],
    typed: Readonly<Record<string, unknown>>,
    finding: Finding,
  ) => VNode
}

/** Saves the reply of a form. Ignores the reply if the finding was resolved in the meantime. */
export async function saveReply(
  visit: ApplicantVisit,
  req: Request,
  res: Response,
  { next, send, showAgain }: SaveReplyOptions,
): Promise<void> {
  const { path, file_id, reply } = (req.body ?? {}) as Sent
  const fileId = plain(file_id)
  const text = plain(reply)
  const finding = { path: plain(path), ...(fileId !== '' && { fileId }) }
  const typed = { [textPlace(finding)]: text }
  const parsed = replyBody.safeParse({
    path: finding.path,
    ...(fileId !== '' && { file_id: fileId }),
    reply: text,
  })
  if (!parsed.success) {
    const isText = parsed.error.issues.every((issue) => issue.path[0] === 'reply')
    if (!isText) return res.redirect(303, next)
    return sendPage(res, 422, showAgain([replyProblem(visit.frame, textPlace(finding))], typed, finding))
  }
  const refused = await collectProblems(() => send(readFinding(parsed.data)))
  if (refused.every(({ field }) => field === 'path')) return res.redirect(303, next)
  sendPage(res, statusOf(refused), showAgain(explain(visit.frame, refused), typed, finding))
}
