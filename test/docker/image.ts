/** Lays out in a folder what the image holds, so that what it lacks is missing in the test as well. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dockerfile, ROOT, read } from './compose-file.ts'

/** The names that .dockerignore lets through, of those that are there. */
export const copied = read('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

export function layOutImage(folder: string): void {
  for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
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

/** What the Dockerfile's ENV lines set. */
export const imageEnvironment: Record<string, string> = Object.fromEntries(
  dockerfile.flatMap((line) => {
    const [, name, value] = /^ENV (\w+)=(\S+)$/.exec(line) ?? []
    return name && value ? [[name, value]] : []
  }),
)
