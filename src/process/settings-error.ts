/** What is wrong with a setting once it is used, in words of our own: they name the setting, and quote no secret. */
import { readFileSync } from 'node:fs'

/** Its message is shown to whoever started the process and is written to the log, unlike those of others. */
export class SettingsError extends Error {
  override readonly name: string = 'SettingsError'
}

/** The file with certificates, or a key, that a setting names. */
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
