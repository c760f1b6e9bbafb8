/** A folder with a screening list of a single test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface ListedEntity {
  readonly id: string
  readonly schema?: string
  readonly name: string
  readonly more?: Readonly<Record<string, readonly string[]>>
}

const lineOf = ({ id, schema = 'Person', name, more }: ListedEntity): string =>
  JSON.stringify({
    id,
    schema,
    caption: name,
    datasets: ['a_list'],
    properties: { name: [name], topics: ['sanction'], ...more },
  })

export type List = ReturnType<typeof createList>

export function createList() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-list-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return {
    folder,
    /** Replaces the list. */
    write: (entities: readonly ListedEntity[]) =>
      writeFileSync(join(folder, 'list.ftm.json'), `${entities.map(lineOf).join('\n')}\n`),
    break: () => writeFileSync(join(folder, 'list.ftm.json'), '{"half a li'),
    /** Deletes the list, as during a replacement. */
    empty: () => rmSync(join(folder, 'list.ftm.json')),
    remove,
  }
}
