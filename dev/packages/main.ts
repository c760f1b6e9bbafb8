/** Command: `npm run packages`. Writes the packages to `dist/packages`. */
import { fileURLToPath } from 'node:url'
import { buildPackages } from './build.ts'

const folder = fileURLToPath(new URL('../../dist/packages', import.meta.url))
for (const tarball of await buildPackages(folder)) console.log(tarball)
