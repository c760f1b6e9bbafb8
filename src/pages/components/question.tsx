/** Component: a question that a page shows while the answers require it, with the choices that they offer. */
import type { VNode } from 'preact'
import { type Facts, forPage } from '../../domain/fields/condition.ts'
import { type Field, isAsked } from '../../domain/fields/field.ts'

/** The answers on a page, and the names of its inputs. */
export interface Answers {
  readonly facts: Facts
  /** Returns the name of a field's input, or null if the page does not have it. */
  readonly inputOf: (field: string) => string | null
}

/** Returns the conditions of a field's choices for the page, keyed by value. */
export const offersOf = (
  { value_asked = {} }: Field,
  { facts, inputOf }: Answers,
): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(value_asked).map(([value, condition]) => [value, forPage(condition, facts, inputOf)]),
  )

interface ConditionalProps {
  readonly field: Field
  readonly answers: Answers
  /** Whether the question is shown in any case, because it has a problem or a comment. */
  readonly isKept: boolean
  readonly children: VNode
}

/** Shows the question while its condition is met. A script evaluates the condition while the applicant answers. */
export const Conditional = ({ field, answers, isKept, children }: ConditionalProps) =>
  field.asked === undefined ? (
    children
  ) : (
    <div
      class="conditional"
      data-asked={JSON.stringify(forPage(field.asked, answers.facts, answers.inputOf))}
      hidden={!isKept && !isAsked(field, answers.facts)}
    >
      {children}
    </div>
  )
