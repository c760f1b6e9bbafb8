/** Renders the module with the icons of the pages. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ICON_NAMES } from './names.ts'

const { resolve } = createRequire(import.meta.url)

/** Returns the shapes of an icon without its `<svg>` element. */
function shapesOf(name: string): string {
  const file = readFileSync(resolve(`lucide-static/icons/${name}.svg`), 'utf8')
  const [, shapes] = /<svg[^>]*>(.*)<\/svg>/s.exec(file) ?? []
  if (shapes === undefined) throw new Error(`${name}.svg has no <svg> element.`)
  return shapes.replace(/\s*\n\s*/g, '').replaceAll(' />', '/>')
}

/** Returns the text of `src/pages/components/icons.ts`. */
export const renderIcons =
  (): string => `/** Component with the shapes of all icons, from lucide-static (ISC). \`npm run icons\` generates this file. */
export const ICONS = {
${ICON_NAMES.map((name) => `  '${name}': '${shapesOf(name)}',`).join('\n')}
} as const
`
