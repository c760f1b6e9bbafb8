/** Reads a decision from a form of the console and validates it with the schema of the API. */
import type { Request } from 'express'
import { decisionOf } from '../../../contracts/decision.ts'
import { decideIdentificationBody } from '../../../contracts/identification.ts'
import { decideKybBody } from '../../../contracts/kyb-application.ts'
import { PARSING, problemsOf } from '../../../contracts/problems.ts'
import { type Problem, statusOf } from '../../../domain/base/errors.ts'
import type { ReasonCode } from '../../../domain/decision/decision.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import type { Decided } from '../../../domain/entity/rules.ts'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { refusalText } from '../../routing/refusals.ts'
import type { TextName, Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { textOf } from '../base/form.ts'
import { labelOf as labelOfField } from '../base/words.ts'
import { findingsOf, isUnchosen, placeOf, type TypedFinding } from './finding.tsx'

/** The values of a refused form on a case's page. */
export interface Typed {
  readonly outcome?: string
  readonly reason_code?: string
  readonly client_comment?: string
  readonly internal_note?: string
  readonly findings?: readonly TypedFinding[]
  readonly open_next?: boolean
  readonly compared?: Compared
  /** True if the second operator sent the decision back. */
  readonly back?: true
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

const BODIES = { kyb: decideKybBody, identification: decideIdentificationBody } as const

const LABELS = {
  outcome: 'console.outcome',
  reason_code: 'console.reason',
  client_comment: 'console.comment',
  internal_note: 'console.internal',
} as const

export function readTyped(sent: Sent): Typed {
  const texts = Object.keys(LABELS).map((name) => [name, textOf(sent, name)] as const)
  const findings = findingsOf(sent)
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== null)),
    ...(findings.length > 0 && { findings }),
    ...(textOf(sent, 'open_next') !== null && { open_next: true }),
  }
}

type Read<E extends Entity> = { readonly typed: Typed } & (
  | { readonly decided: Decided<E> }
  | { readonly problems: FieldProblem[] }
)

/** Reads the form. `usual` contains the values of fields that are not filled in. */
export function readDecision<E extends Entity>(
  { t }: Frame,
  entity: E,
  req: Request,
  usual: Pick<Typed, 'reason_code'> = {},
): Read<E> {
  const sent = (req.body ?? {}) as Sent
  const typed = readTyped(sent)
  const { open_next: _, ...said } = typed
  const { findings = [] } = typed
  const parsed = BODIES[entity].safeParse({ ...usual, ...said, version: Number(sent.version) }, PARSING)
  if (parsed.success) {
    const decided = { outcome: parsed.data.outcome, ...decisionOf(parsed.data) }
    return { typed, decided: decided as Decided<E> }
  }
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

const labelOf = (field: string): TextName => LABELS[field as keyof typeof LABELS] ?? 'console.finding'

interface Refusal {
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
