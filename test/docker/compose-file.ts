/**
 * Reads docker-compose.yml, .env.example and the Dockerfile as Docker does, but supports only the features
 * that they use.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export interface Service {
  image: string
  build?: string
  pull_policy?: string
  command?: string[]
  environment: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  ports?: string[]
  restart?: string
  init?: boolean
  stop_grace_period?: string
  configs?: { source: string; target: string }[]
}

export interface ComposeFile {
  services: Record<string, Service>
  configs: Record<string, { content: string }>
}

export const composeText = read('docker-compose.yml')

/** Returns the Compose file with the values of .env. Without `given`, the variables remain unresolved. */
export function composeFile(given?: Record<string, string>): ComposeFile {
  const file: unknown = parse(composeText, { merge: true })
  return (given ? interpolate(file, given) : file) as ComposeFile
}

export function serviceOf(file: ComposeFile, name: string): Service {
  const service = file.services[name]
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`)
  return service
}

/** Every `${NAME…}` in the file, with its name and the rest (`:-default`, `:?message`). */
export const variables = [...composeText.matchAll(/(?<!\$)\$\{(\w+)([^}]*)\}/g)].map(
  ([, name = '', rest = '']) => ({ name, rest }),
)

function interpolate(value: unknown, given: Record<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (all, name, kind, rest) => {
      if (all === '$$') return '$'
      if (given[name]) return given[name]
      if (kind === '-') return rest
      throw new Error(`${name} ${rest ?? 'is missing'}`)
    })
  }
  if (Array.isArray(value)) return value.map((each) => interpolate(each, given))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolate(each, given)]))
}

/** The instructions of the Dockerfile, with continued lines joined. */
export const dockerfile = read('Dockerfile')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
