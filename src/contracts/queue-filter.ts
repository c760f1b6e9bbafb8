/** Schemas for the queue filters that operators save. */
import { z } from 'zod'
import { described, requiredText } from './common.ts'
import { queueFilter, queueQueryText } from './queue.ts'
import { dataOf, named } from './response.ts'

export const filterName = described(requiredText(60), 'Name of the filter.', 'My overdue cases')

const query = described(
  z.string().max(1_000),
  'Query string of `GET /queue`, without `page` and `per_page`.',
  'kind=kyb&overdue=true',
)

const INVALID = 'Send parameters of GET /queue, such as kind=kyb&overdue=true.'

export const filterParams = z.object({ name: filterName })

/** Saves equal filters with equal query strings. */
export const saveFilterBody = z.strictObject({
  query: query.transform((text, context) => {
    const asked = [...new URLSearchParams(text)]
    const isTwice = new Set(asked.map(([name]) => name)).size < asked.length
    const parsed = queueFilter.safeParse(Object.fromEntries(asked))
    if (parsed.success && !isTwice) return queueQueryText(parsed.data)
    context.addIssue({ code: 'custom', message: INVALID })
    return z.NEVER
  }),
})

const savedFilter = named('SavedFilter', z.strictObject({ name: filterName, query }))
export const savedFilterResponse = dataOf(savedFilter)
export const savedFiltersResponse = z.strictObject({
  data: z.array(savedFilter).describe('Your saved filters, sorted by name.'),
})
