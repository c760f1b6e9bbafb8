/**
 * Builds a folder with the image's content, so that files missing from the image are also missing in the
 * test.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dockerfile, ROOT, read } from './compose-file.ts'

/** The existing names that .dockerignore lets through. */
export const copied = read('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

export function layOutImage(folder: string): void {
  const stage = build()
  for (const line of dockerfile) {
    const [, name = '', to = ''] = /^COPY --from=build \/app\/(\S+) (\S+)$/.exec(line) ?? []
    if (name) cpSync(join(stage, name), join(folder, to), { recursive: true })
  }
  rmSync(stage, { recursive: true })
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const isTop = path.lastIndexOf('node_modules/') === 0
    if (!isTop || dev || devOptional || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(folder, path))
  }
}

/** Builds the stage `build` with all dependencies, and runs its commands. */
function build(): string {
  const stage = mkdtempSync(join(tmpdir(), 'gatehouse-build-'))
  for (const name of copied) cpSync(join(ROOT, name), join(stage, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(stage, 'node_modules'))
  execFileSync('npm', ['run', 'build'], { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] })
  return stage
}

/** The variables set by ENV lines of the Dockerfile. */
export const imageEnvironment: Record<string, string> = Object.fromEntries(
  dockerfile
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) =>
      [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name, ...values]) => [name, values.join('')]),
    ),
)
