/**
 * Lets a test process load modules with Node.js, because Vite takes a quarter of the processor time of all tests to
 * transform them. Node.js lacks only JSX.
 */
import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import '../../src/process/node.ts'

const require = createRequire(import.meta.url)

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context)
    // Only processes that load pages need the compiler.
    const { transformSync } = require('rolldown/utils') as typeof import('rolldown/utils')
    const path = fileURLToPath(url)
    const { code, map } = transformSync(path, readFileSync(path, 'utf8'), {
      jsx: { importSource: 'preact' },
      sourcemap: true,
    })
    const locations = Buffer.from(JSON.stringify(map)).toString('base64')
    const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${locations}`
    return { format: 'module', source, shortCircuit: true }
  },
})
