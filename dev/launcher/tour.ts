/** What the launcher says once everything runs: where things are, and what to try first. */
import { type Instance, instanceFile } from '../instance.ts'
import type { Settings } from '../settings.ts'
import { logFolder } from './logs.ts'

export function tour(settings: Settings, instance: Instance): string {
  const file = instanceFile(settings.DATA_DIR)
  // A sandbox's key may be seen on the screen; another is read from the file that keeps it.
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

The whole KYB flow, step by step, from a second terminal:

  npm run demo

Webhooks as they arrive, in a third one:

  npm run listen -- --register all

Ctrl-C stops everything; the next start finds the data again.
`
}
