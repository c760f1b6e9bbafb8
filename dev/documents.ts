/** Writes what is generated from the code: `npm run documents`. A test fails when it was forgotten. */
import { writeFileSync } from 'node:fs'
import { errorsDocument } from './errors-document.ts'

writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsDocument())
