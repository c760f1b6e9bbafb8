/** Reports settings that fail when they are used. Messages name the setting and contain no secret. */
import { readFileSync } from 'node:fs'

/** Unlike other errors, its message is shown to the operator and written to the log. */
export class SettingsError extends Error {
  override readonly name: string = 'SettingsError'
}

/** Reads the PEM file that a setting names. Throws a SettingsError. */
export function readPem(setting: string, file: string): Buffer {
  const bytes = read(setting, file)
  if (!bytes.includes('-----BEGIN ')) throw new SettingsError(`${setting}: ${file} is not a PEM file.`)
  return bytes
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new SettingsError(`${setting}: ${file} cannot be read.`, { cause })
  }
}
