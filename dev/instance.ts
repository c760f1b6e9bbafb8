/**
 * Reads and writes `instance.json`, which describes a running instance to other programs. The file exists only while
 * all services run.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, writeJson } from './files.ts'
import type { SeedCredentials } from './launcher/seed.ts'
import { UserFacingError } from './user-facing-error.ts'

export type Pids = {
  api: number | null
  worker: number | null
  temporal: number | null
  postgres: number | null
}

export type Instance = SeedCredentials & {
  ready: true
  base_url: string
  operator_base_url: string
  console_url: string
  temporal_address: string
  temporal_ui_url: string | null
  /** The addresses of the metrics. */
  metrics_urls: { api: string; worker: string }
  database_url: string
  /** The secret that the instance and its verification provider sign with. Null without a provider. */
  provider_secret: string | null
  /** The process IDs. Null for a service that the launcher does not run. */
  pids: Pids
}

export const instanceFile = (dataDir: string): string => join(dataDir, 'instance.json')

/** Returns the instance that uses the folder. Throws UserFacingError with the next step if there is none. */
export function findInstance(dataDir: string, otherwise: string): Instance {
  const instance = readableJson(instanceFile(dataDir))
  if (instance?.ready) return instance
  throw new UserFacingError(
    `No instance is running on ${dataDir}. Start one with npm start, or set DATA_DIR to its data folder.\n${otherwise}`,
  )
}

function readableJson(file: string): Instance | undefined {
  try {
    return readJson<Instance>(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UserFacingError(
      `${file} cannot be read (${code}). Run this command as the user who started the instance.`,
    )
  }
}

export const writeInstance = (dataDir: string, instance: Instance): void =>
  writeJson(instanceFile(dataDir), instance)

export const removeInstance = (dataDir: string): void => rmSync(instanceFile(dataDir), { force: true })
