/** Command: `npm run icons`. Writes the icons of the pages to `src/pages/components/icons.ts`. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderIcons } from './render.ts'

writeFileSync(fileURLToPath(new URL('../../src/pages/components/icons.ts', import.meta.url)), renderIcons())
