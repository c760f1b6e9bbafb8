/** Names statements in traces by their operation and table. The names contain no values. */

const NAMES = new Map<string, string>()
/** The maximum number of cached names, because the texts of statements vary. */
const MAX_NAMES = 1_000

const WRITE = /\b(insert into|update|delete from) "?([a-z_]+)"?/i
const READ = /\bfrom "?([a-z_]+)"?/i
const INNERMOST = /\([^()]*\)/g

/** Returns a name such as `INSERT commands`. A statement that writes is named after its first write. */
export function nameStatement(text: string): string {
  const known = NAMES.get(text)
  if (known !== undefined) return known
  const name = findName(text)
  if (NAMES.size < MAX_NAMES) NAMES.set(text, name)
  return name
}

function findName(text: string): string {
  const write = WRITE.exec(text)
  // `FOR UPDATE` at the end of a statement is not a write.
  if (write?.[1] && !/\bfor $/i.test(text.slice(0, write.index)))
    return `${write[1].split(' ')[0]?.toUpperCase()} ${write[2]}`
  const table = readTable(text)
  const operation = /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'QUERY'
  return table === undefined ? operation : `SELECT ${table}`
}

/**
 * Returns the table of the outermost `FROM`. If that is a subquery or a common table expression, returns the first
 * table.
 */
function readTable(text: string): string | undefined {
  let outer = text
  while (INNERMOST.test(outer)) outer = outer.replace(INNERMOST, ' ')
  const table = READ.exec(outer)?.[1]
  const isDefinedHere = table !== undefined && new RegExp(`\\b${table}"? as\\b`, 'i').test(outer)
  return table === undefined || isDefinedHere ? READ.exec(text)?.[1] : table
}
