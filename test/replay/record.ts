/**
 * Command: `npm run record-histories -- <path>` records the histories of a new path through a workflow for
 * the replay test, from a running instance (`npm start`). Existing histories stay unchanged. The paths
 * `asked` and `overtaken` need an instance with VERIFICATION_PROVIDER=http and `npm run provider`. The path `sent` needs an
 * instance with SMTP_URL and MAIL_FROM, and a mail server.
 */

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { Instance } from '../../dev/instance.ts'
import { connectTemporal } from '../../src/temporal/client.ts'
import { csrfIn } from '../support/form.ts'
import { person } from '../support/identification-bodies.ts'
import { photograph } from '../support/photo.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const instance: Instance = JSON.parse(
  readFileSync(`${process.env.DATA_DIR ?? '.gatehouse'}/instance.json`, 'utf8'),
)
const temporal = connectTemporal({ address: instance.temporal_address, namespace: 'default' })

async function send(url: string, token: string, method: string, body: object) {
  const response = await fetch(url, {
    method,
    headers: { Authorization: token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { data: { id: string; identification_id: string; access_token: string } }
}
const call = (method: string, path: string, body: object) =>
  send(instance.base_url + path, instance.api_key, method, body)

const { data: operator } = await send(`${instance.operator_base_url}/sign_in`, '', 'POST', {
  email: instance.operator_email,
  password: instance.operator_password,
})
const operate = (path: string, body: object = {}, token = operator.access_token, method = 'POST') =>
  send(instance.operator_base_url + path, token, method, body)

/** Creates another operator and signs in. Returns the access token. */
async function secondOperator(): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const { data: made } = await operate('/users', { email, operator_roles: ['operator_review'] })
  const { one_time_password: password } = made as unknown as { one_time_password: string }
  const url = `${instance.operator_base_url}/sign_in`
  const { data: entered } = await send(url, '', 'POST', { email, password })
  const change = { current_password: password, new_password: 'a password of their own' }
  const { data } = await operate('/users/change_password', change, entered.access_token)
  return data.access_token
}

const createKyb = async () => (await call('POST', '/kyb', { external_id: crypto.randomUUID() })).data
const patch = (id: string, n = 0) =>
  call('PATCH', `/kyb/${id}`, { nature_of_business: { legal_company_name: `Company ${n}` } })
const review = (id: string, outcome: string) =>
  call('POST', `/sandbox/kyb/${id}/simulate_review`, { outcome })

const importIdentity = async () =>
  (await call('POST', '/identifications/import_identity', { external_uuid: crypto.randomUUID() })).data.id
const softKyc = async (name: string) =>
  (await call('POST', '/identifications/soft_kyc', person({ name }))).data.id
const pause = (ms = 1_500) => new Promise((resolve) => setTimeout(resolve, ms)) // A check takes less time.
const placeHold = async (id: string, more: object = {}) => {
  const body = { owner: 'operator_operations', reason: 'aml_review', ...more }
  return (await operate(`/identifications/${id}/cases`, body)).data.id
}

async function withBeneficiary(): Promise<{ id: string; link: string }> {
  const person = { email: 'ada@example.com', full_name: 'Approved Ada Lovelace', roles: ['director'] }
  const { data } = await call('POST', '/kyb', {
    external_id: crypto.randomUUID(),
    beneficiaries: { beneficiaries_list: [person] },
  })
  const { beneficiaries } = data as unknown as { beneficiaries: { beneficiaries_list: { link: string }[] } }
  return { id: data.id, link: beneficiaries.beneficiaries_list[0]?.link ?? '' }
}

/** Fills in and submits a person's pages. Returns the ID of the identification. */
async function applicant(link: string, name: string): Promise<string> {
  const url = instance.base_url.replace(/\/v1$/, '') + new URL(link).pathname
  const opened = await fetch(url, { method: 'POST', redirect: 'manual' })
  const base = new URL(opened.headers.get('Location') ?? '', url).href
  const headers = { Cookie: opened.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  const page = await (await fetch(`${base}/consent`, { headers })).text()
  const csrf = csrfIn(page)
  const post = async (path: string, form: Record<string, string | File>) => {
    const body = new FormData()
    for (const [field, value] of Object.entries({ _csrf: csrf, ...form })) body.set(field, value)
    const isFile = Object.values(form).some((value) => value instanceof File)
    const sent = isFile ? body : new URLSearchParams([...body] as [string, string][])
    const { status } = await fetch(`${base}${path}`, {
      method: 'POST',
      headers,
      body: sent,
      redirect: 'manual',
    })
    if (status !== 303) throw new Error(`${path} answered ${status}`)
  }
  const picture = new File([new Uint8Array(await photograph())], 'picture.jpg')
  await post('/consent', { consent: 'yes' })
  await post('/details', { ...PERSON, name })
  await post('/document', { document_country: 'GB', document_type: 'passport', document_number: 'X1' })
  await post('/files/document_front', { file: picture })
  await post('/files/selfie', { file: picture })
  await post('/check', {})
  if (name.startsWith('Retry')) {
    await pause()
    await post('/files/document_front', { file: picture })
    await post('/check', {})
  }
  await pause()
  return base.split('/').at(-1) ?? ''
}
const PERSON = {
  surname: 'Lovelace',
  birthdate: '1985-12-10',
  nationality: 'GB',
  address: 'Ockham Park 1',
  city: 'London',
  address_country: 'GB',
}

/** Publishes an event to a receiver. Returns the batch that delivered it, after the batch has ended. */
async function delivered(respond: (res: ServerResponse, nth: number) => void, ms: number) {
  let count = 0
  const receiver = createServer((req, res) => req.resume().on('end', () => respond(res, count++)))
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  await call('PUT', '/users/update_webhook', { webhook_url: { ticket: [`http://127.0.0.1:${port}/`] } })
  const event = { vault_id: instance.vault_id, topic: 'ticket', event: 'ticket_created', attributes: {} }
  await operate('/events', event)
  await pause(ms)
  receiver.close()
  for await (const { workflowId } of temporal.workflow.list({ query: `WorkflowType = 'webhookDeliveries'` }))
    return { 'webhook-deliveries': workflowId }
  throw new Error('nothing was delivered')
}

/** Each path returns the IDs of the workflows whose histories it creates. */
const PATHS: Record<string, () => Promise<Record<string, string>>> = {
  async approved() {
    const { id, identification_id } = await createKyb()
    await patch(id)
    await review(id, 'revision_requested')
    await patch(id, 1)
    await review(id, 'approved')
    return { kyb: `kyb-${id}`, identification: `identification-${identification_id}` }
  },
  async raced() {
    const { id } = await createKyb()
    const patches = Array.from({ length: 12 }, (_, n) => patch(id, n))
    await Promise.race(patches)
    await Promise.all([...patches, review(id, 'rejected'), ...[1, 2, 3].map((n) => patch(id, n))])
    return { kyb: `kyb-${id}` }
  },
  async open() {
    const { id } = await createKyb()
    await patch(id)
    await temporal.workflow.getHandle(`kyb-${id}`).signal('resync')
    return { kyb: `kyb-${id}` }
  },
  async long() {
    const { id } = await createKyb()
    for (let n = 0; n < 60; n += 1) await patch(id, n)
    return { kyb: `kyb-${id}` }
  },
  async checked() {
    const id = await softKyc('Approved Ada')
    await pause()
    return { identification: `identification-${id}` }
  },
  async asked() {
    const id = await softKyc('Approved Ada')
    await pause(5_000)
    return { identification: `identification-${id}` }
  },
  async overtaken() {
    const id = await softKyc('Approved Ada')
    await pause()
    await operate(`/identifications/${id}/decision`, { outcome: 'attention', reason_code: 'other' })
    await pause(5_000)
    return { identification: `identification-${id}` }
  },
  async decided() {
    const id = await softKyc('Ada')
    await pause()
    for (const outcome of ['attention', 'initiated', 'rejected', 'attention', 'approved'])
      await operate(`/identifications/${id}/decision`, { outcome, reason_code: 'other' })
    return { identification: `identification-${id}` }
  },
  async blocked() {
    const id = await importIdentity()
    await call('POST', `/identifications/${id}/block`, { reason: 'client_request' })
    await operate(`/identifications/${id}/accounts`)
    await call('POST', `/identifications/${id}/unblock`, {})
    await call('PUT', `/identifications/${id}`, { city: 'Bern' })
    await call('PUT', `/identifications/${id}/close`, {})
    return { identification: `identification-${id}` }
  },
  async cases() {
    const id = await importIdentity()
    const [whole, part] = [await placeHold(id), await placeHold(id, { services: ['trades'] })]
    await call('POST', `/identifications/${id}/block`, { reason: 'client_request' })
    await operate(`/cases/${whole}/close`)
    await operate(`/cases/${part}/close`)
    const handle = temporal.workflow.getHandle(`identification-${id}`)
    await Promise.all([
      call('POST', `/identifications/${id}/unblock`, {}),
      handle.signal('fact', { id: 'malformed' }),
      placeHold(id),
    ])
    return { identification: `identification-${id}` }
  },
  async applied() {
    const { data } = await call('POST', '/identifications/create_identify_process', { type: 'kyc' })
    const id = await applicant((data as unknown as { url: string }).url, 'Retry Ada')
    return { identification: `identification-${id}` }
  },
  async moved() {
    const { data } = await call('POST', '/identifications/create_identify_process', { type: 'kyc' })
    const { identification_id: id } = data
    const { id: kybId } = await createKyb()
    const profile = `/vaults/${instance.vault_id}/profile/draft`
    const publish = async (body: object) => {
      const rows = { rows: [] }
      const document = { company: rows, beneficiary: rows, person: rows }
      await operate(profile, { document }, operator.access_token, 'PUT')
      await operate(`${profile}/publish`, body)
    }
    await publish({})
    await operate(`/identifications/${id}/profile`)
    await operate(`/kyb/${kybId}/profile`)
    await publish({ applies_from: Math.floor(Date.now() / 1_000) + 5 })
    await pause(60_000) // Housekeeping moves both.
    return { kyb: `kyb-${kybId}`, identification: `identification-${id}` }
  },
  async beneficiary() {
    const { id, link } = await withBeneficiary()
    const person = await applicant(link, 'Approved Ada')
    return { kyb: `kyb-${id}`, identification: `identification-${person}` }
  },
  async removed() {
    const { id, link } = await withBeneficiary()
    const person = await applicant(link, 'Ada')
    const gone = { email: 'ada@example.com', _destroy: true }
    await call('PATCH', `/kyb/${id}`, { beneficiaries: { beneficiaries_list: [gone] } })
    return { kyb: `kyb-${id}`, identification: `identification-${person}` }
  },
  async confirmed() {
    const needed = (four_eyes: string[]) =>
      operate(`/vaults/${instance.vault_id}`, { four_eyes }, operator.access_token, 'PATCH')
    await needed(['rejections', 'case_closings'])
    const second = await secondOperator()
    const rejected = { outcome: 'rejected', reason_code: 'high_risk' }
    const kyb = await createKyb()
    const decide = (step = '', body: object = rejected, token?: string) =>
      operate(`/kyb/${kyb.id}/decision${step}`, body, token)
    await decide()
    await decide('/withdraw', {})
    await decide()
    await patch(kyb.id)
    await decide()
    await decide('/confirm', { reason_code: 'other' }, second)
    const id = await importIdentity()
    await operate(`/cases/${await placeHold(id)}/close`)
    await operate(`/identifications/${id}/decision/confirm`, { reason_code: 'other' }, second)
    await needed([])
    return { kyb: `kyb-${kyb.id}`, identification: `identification-${id}` }
  },
  adopted: () => delivered((res) => res.writeHead(200).end(), 4_000),
  refused: () => delivered((res, nth) => res.writeHead(nth < 2 ? 503 : 200).end(), 25_000),
  kept: () => delivered((res) => setTimeout(() => res.writeHead(200).end(), 4_000), 10_000),
  async sent() {
    await operate(`/vaults/${instance.vault_id}`, { emails: true }, operator.access_token, 'PATCH')
    const person = { type: 'kyc', email: 'ada@example.com' }
    await call('POST', '/identifications/create_identify_process', person)
    await pause(5_000)
    for await (const { workflowId } of temporal.workflow.list({ query: `WorkflowType = 'email'` }))
      return { email: workflowId }
    throw new Error('nothing was sent')
  },
  async closed() {
    const { id, identification_id } = await createKyb()
    await patch(id)
    await call('PUT', `/identifications/${identification_id}/close`, {})
    return { kyb: `kyb-${id}`, identification: `identification-${identification_id}` }
  },
}

const wanted = process.argv.slice(2)
for (const [path, walk] of Object.entries(PATHS).filter(([path]) => wanted.includes(path))) {
  const workflows = await walk()
  await new Promise((resolve) => setTimeout(resolve, 2_000)) // Waits until the last task is written.
  for (const [kind, workflowId] of Object.entries(workflows)) {
    const file = new URL(`${kind}-${path}.json`, FOLDER)
    if (existsSync(file)) continue
    const history = await temporal.workflow.getHandle(workflowId).fetchHistory()
    // A replay does not need stack traces, which contain paths of the recording machine.
    const text = historyToJSON(history).replaceAll(/("stackTrace": )"(?:[^"\\]|\\.)*"/g, '$1""')
    writeFileSync(file, `${text}\n`)
    console.log(`recorded ${kind}-${path}`)
  }
}
await temporal.connection.close()
