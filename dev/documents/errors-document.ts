/** Generates docs/errors.md. */
import { ERRORS, type ErrorCode } from '../../src/domain/base/errors.ts'

const INTRODUCTION = `# Errors

This page lists each error code of the API with its message, meaning and remedy. \`npm run documents\` generates the page
from \`src/domain/base/request-errors.ts\` and \`src/domain/base/state-errors.ts\`.

Branch on the HTTP status and the \`code\`, never on the message. Error bodies have two shapes:

| Shape | Use |
|---|---|
| \`{"error": "..."}\` | 401 of the API. The text states whether the credentials are missing, mistyped, unknown, revoked or expired, or belong to another environment or path. After a failed sign-in, the text does not reveal whether the account exists. |
| \`{"errors": [{"code": "...", "message": "...", "field": "..."}]}\` | All other errors, including the 401 \`invalid_signature\` for a verification provider. The list has one entry for each problem. |

If the problem is about a field, \`field\` is its path, such as \`nature_of_business.phone\`. For an existing beneficiary,
the path contains the \`external_id\` (\`beneficiaries.beneficiaries_list.<external_id>.roles\`). For a new beneficiary,
it contains the position in the request, counted from 0.

A response lists all problems of the request. If one of them has the status 400, the response has this status. The body
of a 500 response also has a \`request_id\`, which equals the \`X-Request-Id\` header. Responses with the status 429 or
503, or the code \`idempotency_key_in_progress\`, have a \`Retry-After\` header with the number of seconds to wait.

A proxy in front of Gatehouse can return a 502 or 504 with a page of its own, without a \`code\` and \`Retry-After\`.
After a 502, the proxy could not reach Gatehouse or lost the connection. After a 504, the response took too long. In
both cases, Gatehouse may have made the change. [After a 503](api.md#after-a-503) states when you can repeat a request.
`

/** Returns the page. Its table lists the codes by status, and codes of one status in the order of `ERRORS`. */
export function errorsDocument(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const rows = codes
    .map((code) => ({ code, ...ERRORS[code] }))
    .sort((a, b) => a.status - b.status)
    .map(
      ({ status, code, message, meaning, remedy }) =>
        `| ${status} | \`${code}\` | ${message} | ${meaning} | ${remedy} |`,
    )
  const head = '## All codes\n\n| Status | Code | Message | Meaning | What to do |\n|---|---|---|---|---|\n'
  return `${INTRODUCTION}\n${head}${rows.join('\n')}\n`
}
