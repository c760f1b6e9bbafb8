/** What a form of the console says of a decision, judged by the schema of the API. */
import type { Request } from 'express'
import type { z } from 'zod'
import { problemsOf } from '../../contracts/common.ts'
import type { Problem } from '../../domain/errors.ts'
import type { Sent } from '../fields.tsx'
import type { FieldProblem, Frame } from '../layout.tsx'
import { statusOf } from '../save.tsx'
import { isTextName } from '../texts/index.ts'
import type { Typed } from './case-page.tsx'

type Read<B> = { readonly typed: Typed } & ({ readonly body: B } | { readonly problems: FieldProblem[] })

export function readDecision<S extends z.ZodType>({ t }: Frame, schema: S, req: Request): Read<z.output<S>> {
  const sent = (req.body ?? {}) as Sent
  const text = (name: string) => [sent[name] ?? []].flat()[0]?.trim() || undefined
  const fields = [sent.fields ?? []].flat()
  const typed: Typed = {
    ...given('outcome', text('outcome')),
    ...given('reason_code', text('reason_code')),
    ...given('client_comment', text('client_comment')),
    ...given('internal_note', text('internal_note')),
    fields,
  }
  const { fields: marked, ...rest } = typed
  const parsed = schema.safeParse(
    { ...rest, ...(fields.length > 0 && { fields: marked }), version: Number(text('version')) },
    { reportInput: true },
  )
  if (parsed.success) return { typed, body: parsed.data }
  const problems = problemsOf(parsed.error).map(({ field = '' }) => ({
    field,
    message: t('console.problem.field', { label: field }),
  }))
  return { typed, problems }
}

const given = <N extends keyof Typed>(name: N, value: string | undefined) =>
  value === undefined ? {} : { [name]: value }

/** How a page answers that was not to be decided. */
export interface Decided {
  readonly status: number
  readonly problems: readonly FieldProblem[]
}

export function refusedDecision({ t }: Frame, problems: readonly Problem[]): Decided {
  const isStale = problems.some(({ code }) => code === 'stale_version')
  const texts = problems.map(({ code, message }) => {
    const name = `console.problem.${code}`
    return isTextName(name) ? t(name) : (message ?? t('problem.refused'))
  })
  return {
    status: isStale ? 409 : statusOf(problems),
    problems: [...new Set(texts)].map((message) => ({ field: '', message })),
  }
}
