/** What a JSON body may not be, whatever it says: too deep, too long a list, a name twice in one object. */
import { type Problem, RequestRefused } from '../domain/errors.ts'

const MAX_DEPTH = 20
const MAX_ENTRIES = 1_000

/** A text, a bracket or a comma: all that structure is made of. What is no JSON, the parser refuses after this. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs

interface Container {
  readonly names: Set<string> | null
  entries: number
  /** In an object, the next text is a name. */
  atName: boolean
}

/** Throws RequestRefused. `JSON.parse` would keep the last of two equal names and say nothing. */
export function checkJson(body: Buffer): void {
  const open: Container[] = []
  for (const [token] of body.toString('utf8').matchAll(TOKEN)) {
    const current = open.at(-1)
    if (token === '{' || token === '[') {
      open.push({ names: token === '{' ? new Set() : null, entries: 1, atName: token === '{' })
      if (open.length > MAX_DEPTH) throw refused(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ',') {
      if (!current) continue
      current.entries += 1
      current.atName = current.names !== null
      if (current.entries > MAX_ENTRIES)
        throw refused(`A list or an object of the body has more than ${MAX_ENTRIES} entries.`)
    } else if (current?.atName) {
      const name = nameOf(token)
      if (current.names?.has(name)) throw refused('An object of the body has the same name twice.')
      current.names?.add(name)
      current.atName = false
    }
  }
}

/** The same name can be written in several ways. */
function nameOf(token: string): string {
  try {
    return JSON.parse(token)
  } catch {
    return token
  }
}

const refused = (message: string) =>
  new RequestRefused({ code: 'malformed_request', message } satisfies Problem)
