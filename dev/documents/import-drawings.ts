/** Reads the tables of import directions in docs/architecture.md, and draws them above the tables. */

export interface Row {
  /** Folders or files that have the same row. */
  readonly what: readonly string[]
  readonly ours: readonly string[]
  readonly libraries: string
}

/** The headings of the tables: of the folders, and of the parts of those that have parts. */
export const TABLES = ['Import directions', 'Parts of folders'] as const
type Heading = (typeof TABLES)[number]

export const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/\x60([^\x60]+)\x60/g)].map(([, name = '']) => name)

/** Returns the rows below the heading. A row begins with a name in backquotes. */
export function readTable(page: string, heading: Heading): Row[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const rows = own.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) => {
    const [, what = '', ours = '', libraries = ''] = line.split('|')
    return { what: namesIn(what), ours: namesIn(ours), libraries: libraries.trim() }
  })
}

export const folderOf = (part: string): string => part.split('/').slice(0, 2).join('/')

/** Returns the page with a drawing of each table. Parts have one drawing for each folder. */
export function withDrawings(page: string): string {
  const [folders, parts] = TABLES.map((heading) => readTable(page, heading)) as [Row[], Row[]]
  const rooms = [...new Set(parts.flatMap(({ what }) => what.map(folderOf)))]
  const drawings: Record<Heading, string> = {
    'Import directions': draw('All folders', folders),
    'Parts of folders': rooms
      .map((room) =>
        draw(
          room,
          parts.filter(({ what }) => what.some((each) => folderOf(each) === room)),
        ),
      )
      .join('\n'),
  }
  return TABLES.reduce((text, heading) => {
    const [before, section] = text.split(`\n## ${heading}\n`) as [string, string]
    const start = section.indexOf('```mermaid')
    const table = section.indexOf('\n| ')
    return `${before}\n## ${heading}\n${section.slice(0, start)}${drawings[heading]}${section.slice(table)}`
  }, page)
}

/** Draws an arrow for each import, except where a longer way leads to the same place. */
function draw(title: string, rows: readonly Row[]): string {
  const importsOf = new Map(rows.flatMap(({ what, ours }) => what.map((each) => [each, ours] as const)))
  const reaches = (from: string, to: string): boolean =>
    (importsOf.get(from) ?? []).some((each) => each === to || reaches(each, to))
  const label = (path: string) => path.replace(`${title}/`, '').replace('src/', '')
  const arrows = [...importsOf].flatMap(([from, ours]) =>
    ours
      .filter((to) => !ours.some((other) => other !== to && reaches(other, to)))
      .map((to) => `    ${idOf(from)} --> ${idOf(to)}`),
  )
  const nodes = [...importsOf.keys()].map((path) => `    ${idOf(path)}["${label(path)}"]`)
  return ['```mermaid', '---', `title: ${title}`, '---', 'flowchart TD', ...nodes, ...arrows, '```', ''].join(
    '\n',
  )
}

const idOf = (path: string): string => path.replaceAll(/\W/g, '_')
