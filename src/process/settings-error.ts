/** Reports settings that fail when they are used. Messages name the setting and contain no secrets. */
import { readFileSync } from 'node:fs'

/** An error whose message is shown to the administrator and logged, unlike the messages of other errors. */
export class SettingsError extends Error {
  override readonly name: string = 'SettingsError'
}

/** Reads the PEM file that a setting names. Throws a SettingsError if this fails. */
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
