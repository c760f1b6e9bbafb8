/** Command: `npm run demo`. Takes a company through the complete KYB flow of a running instance and explains each step. */
import { join } from 'node:path'
import { findInstance, type Instance, instanceFile } from '../instance.ts'
import { stopOnSignals } from '../interrupt.ts'
import { acquireLock } from '../lock.ts'
import { readSettings, type Settings } from '../settings.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { type Api, createApi, createOperatorApi } from './api.ts'
import { awaitApproval, create, createExamples, fillIn, review, uploadDocuments } from './application.ts'
import type { Delivery, Receiver } from './receiver.ts'
import { bold, detail, fact, say, showFailure, step } from './screen.ts'
import { awaitEvents, showForgery, showLogs, withReceiver } from './webhooks.ts'

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
  say(bold('Gatehouse: the KYB flow, from an empty application to an approved company'))
  say(`\nInstance: ${instance.base_url}\nEvery call below is an ordinary one, made with the client's API key`)
  say(`or the operator's password of ${instanceFile(settings.DATA_DIR)}.`)
  // Two demos at once would replace each other's webhook URLs.
  const lock = acquireLock(join(settings.DATA_DIR, 'demo.lock'))
  if ('heldBy' in lock) {
    throw new UserFacingError(`Another demo is under way (process ${lock.heldBy}): wait until it has ended.`)
  }
  try {
    const webhooks = { api, restorer: createApi(client), dataDir: settings.DATA_DIR }
    await withReceiver(webhooks, (receiver, secret) =>
      walk(settings, instance, { api, receiver, secret, stopped }),
    )
    // The URLs are restored, so these events reach no receiver.
    await createExamples(api, instance)
  } finally {
    lock.release()
  }
  say(`\n${bold('Done: everything came as expected.')}`)
}

function findSandbox({ DATA_DIR }: Settings): Instance {
  const instance = findInstance(DATA_DIR, 'If it is starting just now, wait until it is ready.')
  // The demo approves an invented company and needs deliveries to this machine, so it is only for the sandbox.
  if (!instance.api_key.startsWith('gk_test_')) {
    throw new UserFacingError('This instance is a production environment: the demo is for a sandbox.')
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
  await review(
    {
      api,
      signedOut: createOperatorApi(operators),
      asOperator: (token) => createOperatorApi({ ...operators, token }),
    },
    { email: instance.operator_email, password: instance.operator_password },
    application,
  )

  step(
    'What the webhooks told meanwhile',
    'Each arrived as a POST with a Service-Signature header; only genuine ones are listed. Their order',
    'is not guaranteed: version rises with each change of a resource, so that old news can be dropped.',
  )
  const deliveries = await awaitEvents({ api, stopped, receiver, identificationId, events: EVENTS })
  for (const { event, attributes } of deliveries) {
    fact(event, `status ${attributes.status}, version ${attributes.version}, signature verified`)
  }
  showForgery(secret, deliveries[0] as Delivery)
  await awaitApproval({ api, stopped }, application)

  step('The log of deliveries', 'What was sent, where to and with what success, for the client to look at.')
  await showLogs({ api, stopped, identificationId }, EVENTS.length)

  step(
    'Behind it: a workflow',
    'Each application is one long-lived Temporal workflow; nothing of it is lost.',
  )
  const workflow = `kyb-${application.id}`
  if (instance.temporal_ui_url) {
    detail(`${instance.temporal_ui_url}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflow}`)
  } else {
    fact('workflow id', `${workflow}  (this instance uses a Temporal server with no UI known to it)`)
  }
}

const stopped = stopOnSignals(say)
process.stdout.on('error', () => {}) // the terminal was closed
try {
  await main(stopped)
} catch (error) {
  // Expected failures print a message. A stack trace means a defect of the demo.
  if (error instanceof UserFacingError) showFailure(error.message)
  else if (!stopped.aborted) console.error(error)
  process.exitCode = stopped.aborted ? 130 : 1
}
process.exit()
