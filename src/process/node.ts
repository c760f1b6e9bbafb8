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

// Loads Drizzle as CommonJS. For each ES module, Node.js parses the package's complete package.json again. Drizzle's has
// 180 kB, which takes half a second.
modules.registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier.startsWith('drizzle-orm') ? { ...context, conditions: ['require'] } : context),
})
