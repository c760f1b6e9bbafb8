/** Rules for the paths of problems in a `PATCH` body. */
import type { Problem } from '../base/errors.ts'
import type { KybContent } from './fields.ts'

const PLACE = /^(beneficiaries\.beneficiaries_list\.)(\d+)(?=\.|$)/

/**
 * Replaces positions in the paths of problems with the `external_id`s of known people. New people keep their positions.
 * The request may be malformed.
 */
export function nameProblemsByPerson(
  { beneficiaries }: KybContent,
  patch: unknown,
  problems: readonly Problem[],
): Problem[] {
  const sent = (patch as { beneficiaries?: { beneficiaries_list?: unknown } } | null)?.beneficiaries
  const people = Array.isArray(sent?.beneficiaries_list) ? (sent.beneficiaries_list as unknown[]) : []
  const ids = new Map(
    beneficiaries.beneficiaries_list.flatMap(({ email, external_id: id }) => [
      [email.toLowerCase(), id],
      [id, id],
    ]),
  )
  const idBy = (name: unknown) => (typeof name === 'string' ? ids.get(name.toLowerCase()) : undefined)
  // Looks up each person only once, because a request can have thousands of problems and very long emails.
  const names = people.map((person) => {
    const { external_id, email } = (person ?? {}) as { external_id?: unknown; email?: unknown }
    return external_id === undefined ? idBy(email) : idBy(external_id)
  })
  return problems.map((problem) =>
    problem.field === undefined
      ? problem
      : {
          ...problem,
          field: problem.field.replace(PLACE, (_, list, place) => list + (names[Number(place)] ?? place)),
        },
  )
}
