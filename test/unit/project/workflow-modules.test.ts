/**
 * Tests that modules of workflows keep no state, because all workflows of a thread share them
 * (src/temporal/workers.ts).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FOLDERS = ['workflows', 'src/domain']

test.each(
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  ),
)('%s keeps no mutable state', (file) => {
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
  expect(
    source.match(
      /^(export )?(let|var) .*$|^(export )?const .*= new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\).*$/gm,
    ),
  ).toBeNull()
})
