/** Converts refusals of use cases to texts of pages. */
import { type Problem, pageText, type Reader, RequestRefused } from '../../domain/base/errors.ts'
import { isUnavailable } from '../../use-cases/base/unavailable.ts'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { errorInFile, isTextName, type Translate } from '../texts/index.ts'

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

/** Returns the text for the limit that was reached, or null if the problem does not concern a limit. */
function limitText(t: Translate, { limit }: Problem): string | null {
  const name = `problem.limit.${limit}`
  return isTextName(name) ? t(name) : null
}

/** Returns the text for a refusal that does not concern a single field, or null if the problem has none. */
export const refusalText = ({ t, language }: Frame, problem: Problem, reader: Reader): string | null =>
  limitText(t, problem) ?? errorInFile(language, problem.code) ?? pageText(problem.code, reader, language)

/** Returns the texts for the refusal of a whole form. */
export function explain(frame: Frame, problems: readonly Problem[]): FieldProblem[] {
  const texts = new Set(
    problems.map((each) => refusalText(frame, each, 'applicant') ?? frame.t('problem.refused')),
  )
  return [...texts].map((message) => ({ field: '', message }))
}
