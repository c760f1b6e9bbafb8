/** `instance.json`: how outside tools find a running instance. It is there exactly while everything runs. */
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
  /** Where Prometheus is answered. */
  metrics_urls: { api: string; worker: string }
  database_url: string
  /** By which the instance and its verification provider sign; null where it has none. */
  provider_secret: string | null
  /** Null for what is not run by the launcher. */
  pids: Pids
}

export const instanceFile = (dataDir: string): string => join(dataDir, 'instance.json')

/** The instance that runs on the folder; where none does, throws UserFacingError with what else can be done. */
export function findInstance(dataDir: string, otherwise: string): Instance {
  const instance = readableJson(instanceFile(dataDir))
  if (instance?.ready) return instance
  throw new UserFacingError(
    `No instance is running on ${dataDir}: start one with npm start, or say with DATA_DIR where it is.\n${otherwise}`,
  )
}

function readableJson(file: string): Instance | undefined {
  try {
    return readJson<Instance>(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UserFacingError(
      `${file} cannot be read (${code}): run this as the user who started the instance.`,
    )
  }
}

export const writeInstance = (dataDir: string, instance: Instance): void =>
  writeJson(instanceFile(dataDir), instance)

export const removeInstance = (dataDir: string): void => rmSync(instanceFile(dataDir), { force: true })
