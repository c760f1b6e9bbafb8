/** Tests that the icons of the pages match lucide-static. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderIcons } from '../../../dev/icons/render.ts'

test('icons.ts matches the output of `npm run icons`', () => {
  const module = readFileSync(new URL('../../../src/pages/components/icons.ts', import.meta.url), 'utf8')
  expect(module).toBe(renderIcons())
})
