/** Command: `npm run demo`. Takes a company through the complete KYB flow of a running instance and explains each step. */
import { join } from 'node:path'
import { findInstance, type Instance, instanceFile } from '../instance.ts'
import { stopOnSignals } from '../interrupt.ts'
import { acquireLock } from '../lock.ts'
import { readSettings, type Settings } from '../settings.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { type Api, createApi, createOperatorApi } from './api.ts'
import { awaitApproval, create, createExamples, fillIn, review, uploadDocuments } from './application.ts'
import { changeProfile } from './profile.ts'
import type { Delivery, Receiver } from './receiver.ts'
import { bold, detail, fact, say, showFailure, step } from './screen.ts'
import { showSeat } from './seat.ts'
import { awaitEvents, showFeed, showForgery, showLogs, withReceiver } from './webhooks.ts'

/** The events of an approved company, each sent once. */
const EVENTS = [
  'account_created',
  'identification_created',
  'kyb_completed',
  'kyb_processed',
  'identification_approved',
]

async function main(stopped: AbortSignal): Promise<void> {
  const settings = readSettings(process.env)
  const instance = findSandbox(settings)
  const client = { baseUrl: instance.base_url, token: instance.api_key }
  const api = createApi({ ...client, stopped })
  say(bold('Gatehouse demo. The KYB flow from an empty application to an approved company'))
  say(`\nInstance: ${instance.base_url}\nEach call below is an ordinary API call with the client’s API key`)
  say(`or the operator’s password from ${instanceFile(settings.DATA_DIR)}.`)
  // Two simultaneous demos would replace each other's webhook URLs.
  const lock = acquireLock(join(settings.DATA_DIR, 'demo.lock'))
  if ('heldBy' in lock) {
    throw new UserFacingError(`Another demo is running (process ${lock.heldBy}). Wait until it finishes.`)
  }
  try {
    const webhooks = { api, restorer: createApi(client), dataDir: settings.DATA_DIR }
    await withReceiver(webhooks, (receiver, secret) =>
      walk(settings, instance, { api, receiver, secret, stopped }),
    )
    // The client's URLs are already restored, so these events do not reach the demo's receiver.
    await createExamples(api, instance)
  } finally {
    lock.release()
  }
  say(`\n${bold('Done. All results were as expected.')}`)
}

function findSandbox({ DATA_DIR }: Settings): Instance {
  const instance = findInstance(DATA_DIR, 'If it is still starting, wait until it is ready.')
  // The demo approves an invented company and needs deliveries to this machine, so it is only for the sandbox.
  if (!instance.api_key.startsWith('gk_test_')) {
    throw new UserFacingError('This instance is a production environment. Run the demo in a sandbox.')
  }
  return instance
}

async function walk(
  { TEMPORAL_NAMESPACE }: Settings,
  instance: Instance,
  { api, receiver, secret, stopped }: { api: Api; receiver: Receiver; secret: string; stopped: AbortSignal },
): Promise<void> {
  const operators = { baseUrl: instance.operator_base_url, stopped }
  const application = await create(api)
  const { identification_id: identificationId } = application
  await fillIn(api, application)
  await uploadDocuments(api, application)
  const operating = {
    signedOut: createOperatorApi(operators),
    asOperator: (token: string) => createOperatorApi({ ...operators, token }),
  }
  const operator = { email: instance.operator_email, password: instance.operator_password }
  await review({ api, ...operating }, operator, application)

  step(
    'Gatehouse has sent webhooks',
    'Each arrived as a POST with a valid Service-Signature header. The order is not guaranteed.',
    'The version increases with each change to a resource, so receivers can ignore outdated events.',
  )
  const deliveries = await awaitEvents({ api, stopped, receiver, identificationId, events: EVENTS })
  for (const { event, attributes } of deliveries) {
    fact(event, `status ${attributes.status}, version ${attributes.version}, signature verified`)
  }
  showForgery(secret, deliveries[0] as Delivery)
  await awaitApproval({ api, stopped }, application)
  await changeProfile(operating, operator, instance.vault_id)

  step('The webhook log', 'The client can see each delivery with its destination and result.')
  await showLogs({ api, stopped, identificationId }, EVENTS.length)

  step('The event feed', 'The same events in one order, also those that no webhook has delivered.')
  await showFeed({ api, identificationId }, EVENTS.length)

  step('The client in the console', 'The client’s own users see their applications, webhooks and keys.')
  await showSeat(instance, operators)

  step(
    'The workflow of the application',
    'Each application is one long-lived Temporal workflow. No acknowledged change is lost.',
  )
  const workflow = `kyb-${application.id}`
  if (instance.temporal_ui_url) {
    detail(`${instance.temporal_ui_url}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflow}`)
  } else {
    fact('workflow ID', `${workflow}  (the address of the Temporal UI is not known)`)
  }
}

const stopped = stopOnSignals(say)
process.stdout.on('error', () => {}) // the terminal was closed
try {
  await main(stopped)
} catch (error) {
  // Expected failures print a message. A stack trace means a defect in the demo.
  if (error instanceof UserFacingError) showFailure(error.message)
  else if (!stopped.aborted) console.error(error)
  process.exitCode = stopped.aborted ? 130 : 1
}
process.exit()
