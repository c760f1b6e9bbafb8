/** Converts refusals of use cases to texts for applicants. */
import { type Problem, RequestRefused } from '../../domain/base/errors.ts'
import { isUnavailable } from '../../use-cases/base/unavailable.ts'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import type { TextName } from '../texts/en.ts'
import type { Translate } from '../texts/index.ts'

/** Runs the work. Returns its problems if it is refused, or an empty list if it succeeds. Rethrows all other errors. */
export async function collectProblems(work: () => Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (error instanceof RequestRefused) return error.problems
    if (isUnavailable(error)) return [{ code: 'service_unavailable' }]
    throw error
  }
}

/** The texts for refusals that do not concern a single field. */
export const REFUSALS: Partial<Record<string, TextName>> = {
  service_unavailable: 'problem.away',
  kyb_processed: 'problem.locked',
  kyb_abandoned: 'problem.ended',
  invalid_transition: 'problem.sent',
  requirements_due: 'problem.due',
  too_many: 'problem.tooMany',
  duplicate_beneficiary: 'owners.taken',
}

/** Returns the text for the limit that was reached, or null if the problem does not concern a limit. */
export const limitText = (t: Translate, { limit }: Problem): string | null =>
  limit === undefined ? null : t(`problem.limit.${limit}` as TextName)

/** Returns the texts for the refusal of a whole form. */
export function explain({ t }: Frame, problems: readonly Problem[]): FieldProblem[] {
  const texts = new Set(
    problems.map((each) => limitText(t, each) ?? t(REFUSALS[each.code] ?? 'problem.refused')),
  )
  return [...texts].map((message) => ({ field: '', message }))
}
