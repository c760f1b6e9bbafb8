/** Creates the files that programs read in a checkout after `npm start`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function writeInstance(checkout: string, instance: Readonly<Record<string, string>>): void {
  const folder = join(checkout, '.gatehouse')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'instance.json'), JSON.stringify(instance))
}
