/** What a form of the console says of a decision, judged by the schema of the API. */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { problemsOf } from '../../contracts/common.ts'
import type { DecisionBody } from '../../contracts/decision.ts'
import { type ReadEntry, readNewestEntries } from '../../db/cases/timeline.ts'
import { agrees, type Decision, type ReasonCode } from '../../domain/decision/decision.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity.ts'
import type { Problem } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { runCommand } from '../../use-cases/cases/command.ts'
import { newEffect } from '../../use-cases/effect.ts'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import type { Sent } from '../form-values.ts'
import { reasonsAgainst, statusOf } from '../refusals.ts'
import { isTextName, type TextName, type Translate } from '../texts/index.ts'
import { findingsOf, isUnchosen, placeOf, type TypedFinding } from './finding.tsx'
import { setFlash } from './flash.ts'
import { ON_PAGE, readUntil } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'
import { labelOf as labelOfField } from './words.ts'

/** What was typed into a decision that was refused. */
export interface Typed {
  readonly outcome?: string
  readonly reason_code?: string
  readonly client_comment?: string
  readonly internal_note?: string
  readonly findings?: readonly TypedFinding[]
  readonly compared?: Compared
  /** Of the page's other forms. */
  readonly note?: { readonly id: string; readonly text: string }
  readonly case?: Sent
  readonly hit?: { readonly id: string; readonly comment: string }
}

/** What a second operator chose before reading what the first one said. */
export interface Compared {
  readonly reason_code: ReasonCode
  readonly internal_note?: string | undefined
}

/** A page that is shown again, with what was refused and what was typed. */
export interface Refused extends Refusal {
  readonly typed: Typed
}
export const NOTHING_REFUSED: Refused = { status: 200, problems: [], typed: {} }

type DecisionSchema = z.ZodType<DecisionBody & { readonly outcome: string }>

interface DecisionForm<S extends DecisionSchema> {
  readonly visit: ConsoleVisit
  readonly schema: S
  readonly req: Request
  readonly res: Response
  /** Gives the reasons against it. */
  readonly decide: (body: z.output<S>) => Promise<readonly Problem[]>
  /** What it led to: a decision that is `pending` waits for a second operator. */
  readonly decided: () => Promise<{ readonly pending?: unknown } | null>
  readonly again: (refused: Refused) => Promise<void>
}

/** The reasons against a decision; none where it was made since the page was read, as by who presses twice. */
export async function decideOnce<E extends Entity>(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<E>,
  req: Request,
  command: Commands[E] & Decision,
): Promise<readonly Problem[]> {
  const problems = await reasonsAgainst(() =>
    runCommand(deps, { actor: visit.actor, effect: newEffect() }, target, command),
  )
  const since = readUntil(req)
  if (problems.length === 0 || since === null || statusOf(problems) === 503) return problems
  const entries = await readNewestEntries(deps.db, target.entity, target.id, ON_PAGE)
  const isThis = ({ id, action, actor, reasonCode, notes }: ReadEntry) =>
    id > since &&
    actor === visit.actor &&
    action === command.kind &&
    reasonCode === command.reasonCode &&
    notes?.client_comment === command.clientComment &&
    notes?.internal_note === command.internalNote &&
    JSON.stringify(notes?.findings) === JSON.stringify(command.findings)
  return entries.some(isThis) ? [] : problems
}

/** Once it is decided, the queue has the next. */
export async function decideFromForm<S extends DecisionSchema>({
  visit: { frame },
  schema,
  req,
  res,
  decide,
  decided,
  again,
}: DecisionForm<S>): Promise<void> {
  const read = readDecision(frame, schema, req)
  const { typed } = read
  if ('problems' in read) return again({ status: 422, problems: read.problems, typed })
  const problems = await decide(read.body)
  if (problems.length > 0) return again({ ...refusedDecision(frame, problems), typed })
  setFlash(res, (await decided())?.pending ? 'proposed' : 'decided')
  res.redirect(303, '/console')
}

type Read<B> = { readonly typed: Typed } & ({ readonly body: B } | { readonly problems: FieldProblem[] })

export function readDecision<S extends DecisionSchema>(
  { t }: Frame,
  schema: S,
  req: Request,
): Read<z.output<S>> {
  const sent = (req.body ?? {}) as Sent
  const text = (name: string) => [sent[name] ?? []].flat()[0]?.trim() || undefined
  const findings = findingsOf(sent)
  const typed: Typed = {
    ...given('outcome', text('outcome')),
    ...given('reason_code', text('reason_code')),
    ...given('client_comment', text('client_comment')),
    ...given('internal_note', text('internal_note')),
    ...(findings.length > 0 && { findings }),
  }
  const parsed = schema.safeParse({ ...typed, version: Number(text('version')) }, { reportInput: true })
  if (parsed.success) {
    const { outcome, reason_code } = parsed.data
    return agrees(outcome, reason_code)
      ? { typed, body: parsed.data }
      : { typed, problems: [{ field: 'reason_code', message: t('console.reason.contradicts') }] }
  }
  const problems = problemsOf(parsed.error).map(({ field = '' }) => {
    if (field === 'findings') return { field: 'decision-title', message: t('console.finding.tooMany') }
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

const LABELS = {
  outcome: 'console.outcome',
  reason_code: 'console.reason',
  client_comment: 'console.comment',
  internal_note: 'console.internal',
} as const

const labelOf = (field: string): TextName => LABELS[field as keyof typeof LABELS] ?? 'console.finding'

const given = <N extends keyof Typed>(name: N, value: string | undefined) =>
  value === undefined ? {} : { [name]: value }

/** How a page answers that was not to be decided. */
export interface Refusal {
  readonly status: number
  readonly problems: readonly FieldProblem[]
}

export function refusedDecision({ t }: Frame, problems: readonly Problem[], field = ''): Refusal {
  const isStale = problems.some(({ code }) => code === 'stale_version')
  const texts = problems.map(({ code, message }) => {
    const name = `console.problem.${code}`
    return isTextName(name) ? t(name) : (message ?? t('problem.refused'))
  })
  return {
    status: isStale ? 409 : statusOf(problems),
    problems: [...new Set(texts)].map((message) => ({ field, message })),
  }
}
