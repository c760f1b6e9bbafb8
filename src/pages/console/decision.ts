/** Reads a decision from a form of the console and validates it with the schema of the API. */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { PARSING, problemsOf } from '../../contracts/common.ts'
import { type DecisionBody, decisionOf } from '../../contracts/decision.ts'
import { queueFilterOf } from '../../contracts/queue.ts'
import { type Problem, statusOf } from '../../domain/base/errors.ts'
import type { ReasonCode } from '../../domain/decision/decision.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { isPending, wasDecidedSince } from '../../use-cases/review/decided.ts'
import { assignNext } from '../../use-cases/review/queue.ts'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { collectProblems, refusalText } from '../routing/refusals.ts'
import type { TextName, Translate } from '../texts/index.ts'
import type { Sent } from '../values/form-values.ts'
import { findingsOf, isUnchosen, placeOf, type TypedFinding } from './finding.tsx'
import { rememberedQuery, rememberOpensNext, setFlash } from './flash.ts'
import { readUntil } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'
import { labelOf as labelOfField } from './words.ts'

/** The values of a refused form on a case's page. */
export interface Typed {
  readonly outcome?: string
  readonly reason_code?: string
  readonly client_comment?: string
  readonly internal_note?: string
  readonly findings?: readonly TypedFinding[]
  readonly open_next?: boolean
  readonly compared?: Compared
  /** The values of the other forms on the page. */
  readonly note?: { readonly id: string; readonly text: string }
  readonly case?: Sent
  readonly hit?: { readonly id: string; readonly comment: string }
}

/** The reason that the second operator chose before the page showed the first operator's reason. */
export interface Compared {
  readonly reason_code: ReasonCode
  readonly internal_note?: string | undefined
}

/** The problems and typed values with which a page is shown again. */
export interface Refused extends Refusal {
  readonly typed: Typed
  /** True if the page shows only the decision form, so that the operator can correct the decision. */
  readonly isDeciding?: boolean
}
export const NOTHING_REFUSED: Refused = { status: 200, problems: [], typed: {} }

type DecisionSchema = z.ZodType<DecisionBody & { readonly outcome: string }>

interface DecisionForm<S extends DecisionSchema> {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef
  readonly schema: S
  readonly req: Request
  readonly res: Response
  readonly kindOf: (outcome: z.output<S>['outcome']) => string
  readonly decide: (body: z.output<S>) => Promise<unknown>
  readonly showAgain: (refused: Refused) => Promise<void>
}

/**
 * Decides and redirects to the queue. Also redirects if the operator has already made the same decision, for example by
 * sending the form twice.
 */
export async function decideFromForm<S extends DecisionSchema>(form: DecisionForm<S>): Promise<void> {
  const { deps, visit, target, schema, req, res, kindOf, decide } = form
  const { frame, actor } = visit
  const read = readDecision(frame, schema, req)
  const { typed } = read
  const showAgain = (refused: Refused) => form.showAgain({ ...refused, isDeciding: true })
  if ('problems' in read) return showAgain({ status: 422, problems: read.problems, typed })
  const { body } = read
  const problems = await collectProblems(() => decide(body))
  if (problems.length > 0) {
    const since = readUntil(req)
    const made = { ...decisionOf(body), kind: kindOf(body.outcome), actor }
    const isMade =
      since !== null &&
      statusOf(problems) !== 503 &&
      (await wasDecidedSince(deps, target, { ...made, since }))
    if (!isMade) return showAgain({ ...refusedDecision(frame, problems), typed })
  }
  setFlash(res, (await isPending(deps, target)) ? 'proposed' : 'decided')
  const opensNext = typed.open_next === true
  rememberOpensNext(deps, res, opensNext)
  const next = opensNext
    ? await assignNext(deps, queueFilterOf(rememberedQuery(req), visit, 'decide'), visit.actor)
    : null
  res.redirect(303, next ? consolePath(next.entity, next.id) : '/console')
}

/** Returns the values as the operator typed them. */
export function readTyped(sent: Sent): Typed {
  const text = (name: string) => [sent[name] ?? []].flat()[0]?.trim() || undefined
  const findings = findingsOf(sent)
  return {
    ...given('outcome', text('outcome')),
    ...given('reason_code', text('reason_code')),
    ...given('client_comment', text('client_comment')),
    ...given('internal_note', text('internal_note')),
    ...(findings.length > 0 && { findings }),
    ...(text('open_next') !== undefined && { open_next: true }),
  }
}

type Read<B> = { readonly typed: Typed } & ({ readonly body: B } | { readonly problems: FieldProblem[] })

/** Reads the form. `usual` contains the values of fields that are not filled in. */
export function readDecision<S extends DecisionSchema>(
  { t }: Frame,
  schema: S,
  req: Request,
  usual: Pick<Typed, 'reason_code'> = {},
): Read<z.output<S>> {
  const sent = (req.body ?? {}) as Sent
  const typed = readTyped(sent)
  const { open_next: _, ...said } = typed
  const { findings = [] } = typed
  const parsed = schema.safeParse({ ...usual, ...said, version: Number(sent.version) }, PARSING)
  if (parsed.success) return { typed, body: parsed.data }
  const problems = problemsOf(parsed.error).map(({ field = '' }) => {
    if (field === 'findings') return { field: 'findings-title', message: t('console.finding.tooMany') }
    const finding = findings[Number(/^findings\.(\d+)/.exec(field)?.[1])]
    return finding
      ? { field: placeOf(finding), message: aboutFinding(t, finding) }
      : { field, message: t('console.problem.field', { label: t(labelOf(field)) }) }
  })
  return { typed, problems }
}

function aboutFinding(t: Translate, finding: TypedFinding): string {
  const label = labelOfField(t, finding.path.split('.').at(-1) ?? '')
  return t(isUnchosen(finding) ? 'console.finding.choose' : 'console.problem.field', { label })
}

const COMMENT = 'client_comment'

const LABELS = {
  outcome: 'console.outcome',
  reason_code: 'console.reason',
  client_comment: 'console.comment',
  internal_note: 'console.internal',
} as const

const labelOf = (field: string): TextName => LABELS[field as keyof typeof LABELS] ?? 'console.finding'

const given = <N extends keyof Typed>(name: N, value: string | undefined) =>
  value === undefined ? {} : { [name]: value }

/** The status and problems of a refused form. */
export interface Refusal {
  readonly status: number
  readonly problems: readonly FieldProblem[]
}

export function refusedDecision(frame: Frame, problems: readonly Problem[], field = ''): Refusal {
  const { t } = frame
  const texts = problems.map((problem) => {
    if (problem.field === COMMENT) return { field: COMMENT, message: t('console.problem.unsaid') }
    const place = problem.code === 'reason_contradicts' ? 'reason_code' : field
    // Only pages refuse a form as `invalid`, with a message in the language of the page.
    const own = problem.code === 'invalid' ? problem.message : undefined
    return { field: place, message: own ?? refusalText(frame, problem, 'operator') ?? t('problem.refused') }
  })
  const isFirst = (text: FieldProblem, index: number) =>
    texts.findIndex(({ message }) => message === text.message) === index
  return { status: statusOf(problems), problems: texts.filter(isFirst) }
}
