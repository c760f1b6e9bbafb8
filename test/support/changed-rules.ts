/** Bundles the workflows with different domain rules, as another release would. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflows } from '../../src/temporal/workers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Bundles the workflows with these functions in place of those from a file of `src/domain`. */
export async function bundleWithRules(
  changed: Record<string, Record<string, (...given: never[]) => unknown>>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rules-'))
  try {
    for (const part of ['workflows', 'src/domain', 'package.json'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const workflows = join(folder, 'workflows')
    for (const [file, rules] of Object.entries(changed)) {
      // An export of the module takes precedence over a re-export.
      const exported = Object.entries(rules).map(([name, rule]) => `export const ${name} = ${rule}`)
      const module = [`export * from './${basename(file)}'`, ...exported].join('\n')
      const changedFile = join(dirname(file), `changed-${basename(file)}`)
      writeFileSync(join(folder, 'src/domain', changedFile), module)
      const imported = `src/domain/${file}'`
      const texts = readdirSync(workflows).map(
        (name) => [name, readFileSync(join(workflows, name), 'utf8')] as const,
      )
      if (!texts.some(([, text]) => text.includes(imported))) throw new Error(`no workflow imports ${file}`)
      for (const [name, text] of texts)
        writeFileSync(join(workflows, name), text.replace(imported, `src/domain/${changedFile}'`))
    }
    return (await bundleWorkflows(workflows)).code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
