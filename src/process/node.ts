/**
 * Prepares Node.js, and ends the process if its version is too old. Imported first. Modules that import Drizzle must be
 * loaded afterwards, with `import()`.
 */
import * as modules from 'node:module'
import { requireSupported } from './versions.ts'

try {
  requireSupported('Node.js', process.version)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

/** The packages that files outside `node_modules` import, by specifier and conditions. */
const resolved = new Map<string, modules.ResolveFnOutput>()

// Resolves each package only once, and loads Drizzle as CommonJS, because Node.js parses the package's complete
// package.json again for each import, and for each ES module. Drizzle's has 180 kB, which takes a second in total.
modules.registerHooks({
  resolve(specifier, context, next) {
    const conditions = specifier.startsWith('drizzle-orm') ? ['require'] : context.conditions
    const isOwn = context.parentURL !== undefined && !context.parentURL.includes('/node_modules/')
    if (!isOwn || !/^[a-z@]/.test(specifier)) return next(specifier, { ...context, conditions })
    const key = [specifier, ...conditions].join()
    const found = resolved.get(key) ?? next(specifier, { ...context, conditions })
    resolved.set(key, found)
    return { ...found, shortCircuit: true }
  },
})
