/** Generates docs/errors.md. */
import { ERRORS, type ErrorCode } from '../../src/domain/errors.ts'

const INTRODUCTION = `# Errors

This page lists each error code of the API with its message, meaning and remedy. \`npm run documents\` generates it
from \`src/domain/request-errors.ts\` and \`src/domain/state-errors.ts\`.

Branch on the HTTP status and the \`code\`, never on the message. Error bodies have two shapes:

| Shape | Use |
|---|---|
| \`{"error": "..."}\` | 401 of the API. The text states whether the credentials are missing, mistyped, unknown, revoked or expired, or belong to another environment or path. After a failed sign-in, it states the reason. |
| \`{"errors": [{"code": "...", "message": "...", "field": "..."}]}\` | All other errors, including the 401 \`invalid_signature\` for a verification provider. The list has one entry for each problem. |

\`field\` is the field’s path, such as \`nature_of_business.phone\`. It is omitted if the problem is not about a
field. The path of an existing beneficiary contains the \`external_id\`, as in \`requirements\`. An example is
\`beneficiaries.beneficiaries_list.<external_id>.roles\`. The path of a new beneficiary contains the position in the
request, counted from 0.

A response lists all problems of the request. If one of them is a 400, the response has the status 400. The body of a
500 also has a \`request_id\`, which equals the \`X-Request-Id\` header of the response. Responses with the status
429 or 503, or the code \`idempotency_key_in_progress\`, have a \`Retry-After\` header. It states the number of seconds
to wait.
`

/** Codes by status, in the order of the code. */
export function errorsDocument(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const rows = codes.map((code) => {
    const { status, message, meaning, remedy } = ERRORS[code]
    return { status, row: `| \`${code}\` | ${message} | ${meaning} | ${remedy} |` }
  })
  const statuses = [...new Set(rows.map(({ status }) => status))].sort((a, b) => a - b)
  const sections = statuses.map((status) => {
    const table = rows.filter((each) => each.status === status).map(({ row }) => row)
    return `## ${status}\n\n| Code | Message | Meaning | What to do |\n|---|---|---|---|\n${table.join('\n')}\n`
  })
  return [INTRODUCTION, ...sections].join('\n')
}
