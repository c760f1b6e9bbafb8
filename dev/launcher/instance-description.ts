/** Describes a running instance to people on the terminal, and to programs in `instance.json`. */
import { type Instance, instanceFile } from '../instance.ts'
import { readSettings, type Settings } from '../settings.ts'
import { logFolder } from './logs.ts'

/** Returns hints for a sandbox. In production, the demo and receivers on this machine do not work. */
const toTry = (folder: string) => `To run the complete KYB flow step by step, use a second terminal:

  ${folder}npm run demo

To show webhooks as they arrive, use a third terminal:

  ${folder}npm run listen -- --register all`

/** Returns the variable with which other commands find this instance, or an empty text for the default folder. */
function folderOf({ DATA_DIR }: Settings): string {
  if (DATA_DIR === readSettings({}).DATA_DIR) return ''
  return `DATA_DIR='${DATA_DIR.replaceAll("'", "'\\''")}' `
}

const NOT_FIT = `This start shows the production settings. Do not use it to run a production service, because:

  - All processes run on one machine as one user, and stop with this terminal.
  - This includes PostgreSQL and the Temporal development server, unless DATABASE_URL and TEMPORAL_ADDRESS are set.
  - There is no backup, and the encryption keys are in the same folder as the data.
  - There is no HTTPS. It requires a proxy, PUBLIC_URL and TRUST_PROXY.

To run a production service, see docs/operating.md (with Docker) or docs/production.md (without).`

export function describeInstance(settings: Settings, instance: Instance): string {
  const file = instanceFile(settings.DATA_DIR)
  // Prints a sandbox key. For any other key, prints a command that reads it from the file.
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
    ['  sign-in', operator],
    ['Temporal UI', instance.temporal_ui_url],
    ['Credentials', file],
    ['Logs', logFolder(settings.DATA_DIR)],
  ]
  const list = places.flatMap(([name, place]) => (place ? [`  ${name.padEnd(12)}  ${place}`] : []))
  return `
Gatehouse is ready (${settings.ENVIRONMENT}).

${list.join('\n')}

First request:

  curl -s ${instance.base_url}/users/settings -H "Authorization: Bearer ${key}"

${settings.ENVIRONMENT === 'sandbox' ? toTry(folderOf(settings)) : NOT_FIT}

To stop all services, press Ctrl-C. Gatehouse keeps your data for the next start.
`
}
