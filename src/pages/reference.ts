/** The reference of one base path as a page: made from its OpenAPI document, readable without JavaScript. */
import type { Content, OpenApiDocument, Operation } from '../http/openapi.ts'
import type { JsonSchema } from '../http/openapi-schema.ts'
import { escapeHtml as safe } from './html.ts'

export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1b1f27; --quiet: #596273;
  --line: #dfe3ea; --link: #2456b8; --code: #eef1f5 }
@media (prefers-color-scheme: dark) {
  :root { --back: #12151b; --card: #1b1f28; --text: #edf0f5; --quiet: #a3acbd; --line: #2e3542;
    --link: #8fb4ff; --code: #242a35 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2 } h2 { margin-top: 2.5rem; font-size: 1.25rem }
h3 { margin: 1.25rem 0 0.5rem; font-size: 1rem }
a { color: var(--link) } .quiet { color: var(--quiet) }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
details { margin: 0.5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem }
summary { padding: 0.75rem 1rem; cursor: pointer; overflow-wrap: anywhere }
details > div { padding: 0 1rem 1rem }
.method { display: inline-block; min-width: 4rem; font-weight: 700; text-transform: uppercase }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { margin: 0.5rem 0; padding: 0.75rem; background: var(--code); border-radius: 0.375rem; overflow-x: auto }
.table { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem }
th, td { padding: 0.375rem 0.5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
nav ul { columns: 18rem; padding-left: 1.25rem; overflow-wrap: anywhere }
`

const code = (text: string) => `<code>${safe(text)}</code>`
/** Descriptions mark code as Markdown does. */
const prose = (text: string) => safe(text).replace(/&#96;|`([^`]*)`/g, (_, words) => `<code>${words}</code>`)
const anchorOf = (text: string) => text.replace(/[^\w]+/g, '-')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.length === 0
    ? ''
    : `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head
        .map((cell) => `<th scope="col">${cell}</th>`)
        .join('')}</tr></thead><tbody>${rows
        .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
        .join('')}</tbody></table></div>`

const nameOfRef = (ref: string) => ref.split('/').at(-1) ?? ''

const SHOWN_VALUES = 20

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) {
    const name = nameOfRef(schema.$ref)
    return `<a href="#schema-${anchorOf(name)}">${safe(name)}</a>`
  }
  if (schema.enum) {
    const more = schema.enum.length > SHOWN_VALUES ? ' …' : ''
    return (
      schema.enum
        .slice(0, SHOWN_VALUES)
        .map((value) => code(String(value)))
        .join(' ') + more
    )
  }
  if (schema.const !== undefined) return code(String(schema.const))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  return safe(schema.format ? `${type} (${schema.format})` : type)
}

/** A row for each field, those inside others under their path. */
function fieldRows(schema: JsonSchema, path = ''): string[][] {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const full = path === '' ? name : `${path}.${name}`
    const need = schema.required?.includes(name) ? 'always' : 'optional'
    return [[code(full), typeOf(each), need, prose(each.description ?? '')], ...fieldRows(each, full)]
  })
  const items = schema.items ? fieldRows(schema.items, `${path}[]`) : []
  return [...own, ...items, ...choices.flatMap((choice) => fieldRows(choice, path))]
}

const FIELD_HEAD = ['Field', 'Type', 'There', 'Meaning']
const example = (value: unknown) => `<pre tabindex="0">${safe(JSON.stringify(value, null, 2))}</pre>`

const contentsOf = (content: Readonly<Record<string, Content>>) =>
  Object.entries(content)
    .map(
      ([type, { schema, example: value }]) =>
        `<p class="quiet">${safe(type)}${schema.$ref ? `: ${typeOf(schema)}` : ''}</p>` +
        `${table(FIELD_HEAD, fieldRows(schema))}${example(value)}`,
    )
    .join('')

function operationHtml(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const given = parameters.map((each) => [
    code(each.name),
    each.in,
    typeOf(each.schema),
    each.required ? 'always' : 'optional',
    prose(each.description ?? ''),
  ])
  const [done, refused] = [200, 400].map((from) =>
    Object.entries(responses).filter(([status]) => Number(status) >= from && Number(status) < from + 200),
  )
  const refusals = [...(refused ?? [])].map(([status, each]) => [status, prose(each.description)])
  return `<details id="${anchorOf(operationId)}"><summary><span class="method">${method}</span> ${code(path)}
<span class="quiet">${prose(summary)}</span></summary><div>
<p>${prose(summary)}. ${prose(description)}</p>
${given.length > 0 ? `<h3>Parameters</h3>${table(['Name', 'In', 'Type', 'Sent', 'Meaning'], given)}` : ''}
${requestBody ? `<h3>Body</h3>${contentsOf(requestBody.content)}` : ''}
${(done ?? []).map(([status, each]) => `<h3>Answer ${status}</h3>${contentsOf(each.content)}`).join('')}
<h3>Refusals</h3>${table(['Status', 'Codes'], refusals)}
</div></details>`
}

export function referencePage({ info, servers, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  const contents = operations.map(
    ({ method, path, operation }) =>
      `<li><a href="#${anchorOf(operation.operationId)}">${method.toUpperCase()} ${safe(path)}</a></li>`,
  )
  const groups = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag))
    const html = own.map(({ method, path, operation }) => operationHtml(method, path, operation))
    return `<section aria-label="${safe(tag)}"><h2>${safe(tag)}</h2>${html.join('')}</section>`
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${anchorOf(name)}"><summary>${safe(name)}</summary><div>` +
      `${schema.properties ? table(FIELD_HEAD, fieldRows(schema)) : `<p>${typeOf(schema)}</p>`}</div></details>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(info.title)}</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body><main>
<h1>${safe(info.title)}</h1>
<p>${prose(info.description)}</p>
<p>Base address: ${servers.map(({ url }) => code(url)).join(' ')}. As a document for programs:
<a href="openapi.json">openapi.json</a>.</p>
<nav aria-label="Routes"><ul>${contents.join('')}</ul></nav>
${groups.join('\n')}
<section aria-label="Schemas"><h2>Schemas</h2>${schemas.join('')}</section>
</main></body>
</html>
`
}
