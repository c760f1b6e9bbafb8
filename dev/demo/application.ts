/** Takes the KYB application from its creation to the end of its review, and checks each step. */
import { type ClientSchemas, toForm } from '../../client/index.ts'
import type { Instance } from '../instance.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Api, OperatorApi } from './api.ts'
import { DOCUMENTS, LISTED_PERSON, SECTIONS } from './company.ts'
import { eventually, expectEqual } from './expect.ts'
import { bold, detail, fact, holds, step, withoutIds } from './screen.ts'

export type Application = ClientSchemas['KybApplication']

export async function create(api: Api): Promise<Application> {
  step(
    'A company applies',
    'One request creates the application, the identification of the company and its account.',
  )
  const external_id = `demo-${new Date().toISOString().replace(/\D/g, '')}`
  const created = await api.send((client) => client.POST('/kyb', { body: { external_id } }), 201)
  const { generated_password: password } = created
  const data = await read(api, created.data.id)
  fact('id', data.id)
  fact('external_id', `${data.external_id}  (your own id for the company)`)
  fact('identification_id', data.identification_id)
  fact('generated_password', `${password}  (shown this once: the company opens its form with it)`)
  showDue(data)
  expectEqual('external_id of the new application', data.external_id, external_id)
  for (const [given, expected] of [[password, true] as const, ['a guess', false] as const]) {
    const request = { params: { path: { id: data.id } }, body: { password: given } }
    const { authenticate } = await api.send((client) => client.POST('/kyb/validate_password/{id}', request))
    expectEqual('authenticate', authenticate, expected)
    detail(`authenticate: ${authenticate}  (${expected ? 'the generated password' : 'a wrong one'})`)
  }
  return data
}

/** Prints what the reader can do next: fill in two forms and decide a case. */
export async function createExamples(
  api: Api,
  { console_url, operator_email, operator_password }: Instance,
): Promise<void> {
  const begin = async (type: 'kyb' | 'kyc') => {
    const request = { body: { type } }
    const { data } = await api.send(
      (client) => client.POST('/identifications/create_identify_process', request),
      201,
    )
    return data
  }
  step(
    'Or the company does it by itself',
    'One request makes a page for another company. Open it and enter the password.',
  )
  const company = await begin('kyb')
  fact('url', company.url)
  fact('generated_password', company.generated_password ?? '')
  step(
    'And a person, too',
    'With type kyc the page asks for an identity document and a picture. In the sandbox the name decides:',
    '"Approved Ada" is approved, "Retry Ada" is asked for another picture, others wait for an operator.',
  )
  fact('url', (await begin('kyc')).url)
  step(
    'An operator looks at it in the console',
    'This person is on the invented list of sanctions that comes along. Nobody who may be on a list is',
    'approved by a check: the person waits in the queue of the console, for you to decide.',
  )
  await api.send((client) => client.POST('/identifications/soft_kyc', { body: LISTED_PERSON }), 201)
  fact('console', console_url)
  fact('e-mail', operator_email)
  fact('password', operator_password)
}

export async function fillIn(api: Api, { id }: Application): Promise<void> {
  step(
    'The company fills the application in',
    'Each PATCH sends only what it adds; requirements.currently_due tells what is still missing.',
    'A beneficiary settles one requirement and brings another: the identity document of the person.',
  )
  let due = (await read(api, id)).requirements.currently_due.length
  for (const body of SECTIONS) {
    const [section] = Object.keys(body)
    const request = { params: { path: { id } }, body }
    await api.send((client) => client.PATCH('/kyb/{id}', request), 200, section)
    const application = await read(api, id)
    const dueNow = application.requirements.currently_due.length
    expectEqual(`${section}: fewer requirements than the ${due} before`, dueNow < due, true)
    showDue(application, due)
    due = dueNow
  }
}

export async function uploadDocuments(api: Api, { id }: Application): Promise<void> {
  step(
    'The company uploads its documents',
    'PDF, JPEG or PNG. Once nothing is due any more, status.completed turns true by itself.',
  )
  let application = await read(api, id)
  for (const { attribute, name, type, bytes, email } of DOCUMENTS) {
    expectEqual('status.completed while something is due', application.status.completed, false)
    const body = {
      attribute,
      ...(email && { email }),
      file: new File([new Uint8Array(bytes)], name, { type }),
    }
    const request = { params: { path: { id } }, body, bodySerializer: toForm }
    const file = await api.send((client) => client.POST('/kyb/upload_file/{id}', request), 201)
    expectEqual('name of the uploaded file', file.name, name)
    application = await read(api, id)
    const due = application.requirements.currently_due.length
    detail(`${attribute}: ${name}, ${bytes.length} bytes${email ? `, of ${email}` : ''} (${due} still due)`)
  }
  const path = { id }
  const { data } = await api.send((client) => client.GET('/kyb/{id}', { params: { path } }))
  showDue(data)
  expectEqual('requirements.currently_due', data.requirements.currently_due, [])
  expectEqual('status', data.status, { completed: true, processed: false })
  holds('status.completed is true')
}

/** `signedOut` calls the operator API without a token, `asOperator` with the token from signing in. */
export async function review(
  {
    api,
    signedOut,
    asOperator,
  }: { api: Api; signedOut: OperatorApi; asOperator: (token: string) => OperatorApi },
  operator: { email: string; password: string },
  { id }: Application,
): Promise<void> {
  step(
    'An operator reviews it',
    'Operators have users, tokens and a base path of their own; no client can reach it.',
  )
  const { data: session } = await signedOut.send((client) => client.POST('/sign_in', { body: operator }))
  const params = { path: { id } }
  const { data, pending_confirmation: pending } = await asOperator(session.access_token).send((client) =>
    client.POST('/kyb/{id}/decision', {
      params,
      body: {
        outcome: 'approved',
        reason_code: 'complete',
        client_comment: 'Everything is in order.',
        internal_note: 'The registers agree with each other.',
      },
    }),
  )
  if (pending)
    throw new UserFacingError(
      'The vault wants two operators for approvals, and the demo has one: its decision waits for another.\n' +
        "Confirm it in the console, or take that away in the vault's settings there, and run the demo again.",
    )
  expectEqual('status after the decision', data.status, { completed: true, processed: true })
  expectEqual('outcome of the review', data.review?.outcome, 'approved')
  holds('the review is finished: status.processed is true')
  detail('From now on the application is locked:')
  const body = { nature_of_business: { comercial_name: 'Another name' } }
  const refused = await api.refused((client) => client.PATCH('/kyb/{id}', { params, body }), 403)
  const [error] = 'errors' in refused ? refused.errors : []
  expectEqual('error code of an edit after the review', error?.code, 'kyb_processed')
  fact('kyb_processed', error?.message ?? '')
}

export async function awaitApproval(
  { api, stopped }: { api: Api; stopped: AbortSignal },
  { identification_id }: Application,
): Promise<void> {
  const params = { path: { id: identification_id } }
  const look = () => api.look((client) => client.GET('/identifications/{id}', { params }))
  await eventually(look, ({ data }) => data.status === 'approved', { seconds: 30, stopped })
  const { data } = await api.send((client) => client.GET('/identifications/{id}', { params }))
  expectEqual('status of the identification', data.status, 'approved')
  holds(`the identification of the company is ${bold(data.status)}`)
}

const read = async (api: Api, id: string) =>
  (await api.look((client) => client.GET('/kyb/{id}', { params: { path: { id } } }))).data

const SHOWN = 3

function showDue({ requirements: { currently_due: due } }: Application, before?: number): void {
  if (due.length === 0) {
    holds('nothing is due any more')
    return
  }
  const count = before === undefined ? due.length : `${before} → ${due.length}`
  detail(`${bold(`${count} still due`)}, first of all:`)
  for (const path of due.slice(0, SHOWN)) detail(`  ${withoutIds(path)}`)
  if (due.length > SHOWN) detail(`  ... and ${due.length - SHOWN} more`)
}
