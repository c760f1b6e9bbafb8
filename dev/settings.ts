/** Reads the settings of the launcher, which passes all other variables to the processes that it starts. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { withoutBlankValues } from '../src/process/config.ts'
import { UserFacingError } from './user-facing-error.ts'

const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback)

const schema = z.object({
  ENVIRONMENT: z.enum(['sandbox', 'production']).default('sandbox'),
  DATA_DIR: z.string().min(1).default('.gatehouse'),
  PORT: port(3000),
  DATABASE_PORT: port(5433),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  /** The addresses of servers to use instead of the embedded ones. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  MIGRATION_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
})

export type Settings = z.output<typeof schema>

/** The folder for programs that all checkouts and data folders share. */
export const CACHE_DIR = join(homedir(), '.cache', 'gatehouse')

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const parsed = schema.safeParse(withoutBlankValues(env))
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new UserFacingError(`The environment variables are invalid:\n${problems.join('\n')}`)
  }
  return { ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR) }
}
