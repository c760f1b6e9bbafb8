/** Describes a running instance: on the terminal for people, and in `instance.json` for programs. */
import { type Instance, instanceFile } from '../instance.ts'
import { readSettings, type Settings } from '../settings.ts'
import { logFolder } from './logs.ts'

/** Production refuses the demo and receivers on this machine. */
const toTry = (folder: string) => `The whole KYB flow, step by step, from a second terminal:

  ${folder}npm run demo

Webhooks as they arrive, in a third one:

  ${folder}npm run listen -- --register all`

/** The details that other commands need to find this instance. */
function folderOf({ DATA_DIR }: Settings): string {
  if (DATA_DIR === readSettings({}).DATA_DIR) return ''
  return `DATA_DIR='${DATA_DIR.replaceAll("'", "'\\''")}' `
}

const NOT_FIT = `This is for looking at production's settings, not for running it:

  - All processes are on one machine, as one user, and end with this terminal.
  - Unless DATABASE_URL and TEMPORAL_ADDRESS name others, so do PostgreSQL, and Temporal's development server on a file.
  - Nothing makes a backup, and the keys that encrypt the data lie beside it.
  - There is no HTTPS: put a proxy before it, and set PUBLIC_URL and TRUST_PROXY for it.

docs/production.md says how to run it without Docker, docs/operating.md with.`

export function describeInstance(settings: Settings, instance: Instance): string {
  const file = instanceFile(settings.DATA_DIR)
  // The terminal shows a key of the sandbox. Any other key is read from its file.
  const key =
    settings.ENVIRONMENT === 'sandbox'
      ? instance.api_key
      : `$(node -p "JSON.parse(fs.readFileSync('${file}')).api_key")`
  const operator =
    settings.ENVIRONMENT === 'sandbox'
      ? `${instance.operator_email}, password ${instance.operator_password}`
      : instance.operator_email
  const places: [string, string | null][] = [
    ['API', instance.base_url],
    ['Operators', instance.operator_base_url],
    ['Reference', `${instance.base_url}/docs`],
    ['Console', instance.console_url],
    ['  signs in', operator],
    ['Temporal UI', instance.temporal_ui_url],
    ['Credentials', file],
    ['Logs', logFolder(settings.DATA_DIR)],
  ]
  const list = places.flatMap(([name, place]) => (place ? [`  ${name.padEnd(12)}  ${place}`] : []))
  return `
Gatehouse is ready (${settings.ENVIRONMENT}).

${list.join('\n')}

A first request:

  curl -s ${instance.base_url}/users/settings -H "Authorization: Bearer ${key}"

${settings.ENVIRONMENT === 'sandbox' ? toTry(folderOf(settings)) : NOT_FIT}

Ctrl-C stops everything; the next start finds the data again.
`
}
