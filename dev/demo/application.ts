/** Takes the KYB application from its creation to the end of its review, and checks each step. */
import type { ClientSchemas } from '../../client/index.ts'
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
  fact('external_id', `${data.external_id}  (your own ID for the company)`)
  fact('identification_id', data.identification_id)
  fact('generated_password', `${password}  (password for the company’s form, shown once)`)
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

/** Creates two forms to fill in and a case to decide, and prints how to open them. */
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
    'The company can also fill in a hosted form',
    'One request creates a form for another company. Open the URL and enter the password.',
  )
  const company = await begin('kyb')
  fact('url', company.url)
  fact('generated_password', company.generated_password ?? '')
  step(
    'A person verifies on hosted pages',
    'With the type kyc, the pages request photos of an identity document and a selfie. In the sandbox, the name',
    'determines the result. “Approved Ada” is approved, “Retry Ada” must retake a photo, others await review.',
  )
  fact('url', (await begin('kyc')).url)
  step(
    'An operator reviews a case in the console',
    'This person is on the fictitious sanctions list that is included. A possible match is never approved',
    'automatically. The case is in the queue of the console and awaits your decision.',
  )
  await api.send((client) => client.POST('/identifications/soft_kyc', { body: LISTED_PERSON }), 201)
  fact('console', console_url)
  fact('email', operator_email)
  fact('password', operator_password)
}

export async function fillIn(api: Api, { id }: Application): Promise<void> {
  step(
    'The company fills in the application',
    'Each PATCH sends only new or changed fields. requirements.currently_due lists the missing items.',
    'A beneficiary meets one requirement and adds another, the person’s identity document.',
  )
  let due = (await read(api, id)).requirements.currently_due.length
  for (const body of SECTIONS) {
    const [section] = Object.keys(body)
    const request = { params: { path: { id } }, body }
    await api.send((client) => client.PATCH('/kyb/{id}', request), 200, section)
    const application = await read(api, id)
    const dueNow = application.requirements.currently_due.length
    expectEqual(`Fewer than ${due} requirements after ${section}`, dueNow < due, true)
    showDue(application, due)
    due = dueNow
  }
}

export async function uploadDocuments(api: Api, { id }: Application): Promise<void> {
  step(
    'The company uploads its documents',
    'Files are PDF, JPEG or PNG. When nothing is due, Gatehouse sets status.completed to true.',
  )
  let application = await read(api, id)
  for (const { attribute, name, type, bytes, email } of DOCUMENTS) {
    expectEqual('status.completed while something is due', application.status.completed, false)
    const body = {
      attribute,
      ...(email && { email }),
      file: new File([new Uint8Array(bytes)], name, { type }),
    }
    const request = { params: { path: { id } }, body }
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

/** Calls the operator API without a token, or with the token from signing in. */
export interface Operating {
  readonly signedOut: OperatorApi
  readonly asOperator: (token: string) => OperatorApi
}

export interface SignIn {
  readonly email: string
  readonly password: string
}

export async function review(
  { api, signedOut, asOperator }: Operating & { readonly api: Api },
  operator: SignIn,
  { id }: Application,
): Promise<void> {
  step(
    'An operator reviews the application',
    'Operators have their own users, tokens and base path. Clients cannot access it.',
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
      'The vault requires a second approval, so the decision awaits another operator.\n' +
        'Confirm it in the console, or turn off four-eyes approval in the vault settings. Then run the demo again.',
    )
  expectEqual('status after the decision', data.status, { completed: true, processed: true })
  expectEqual('outcome of the review', data.review?.outcome, 'approved')
  holds('the review is finished (status.processed is true)')
  detail('The application is now locked:')
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
  await eventually(look, ({ data }) => data.status === 'approved', { seconds: 120, stopped })
  const { data } = await api.send((client) => client.GET('/identifications/{id}', { params }))
  expectEqual('status of the identification', data.status, 'approved')
  holds(`the identification of the company is ${bold(data.status)}`)
}

const read = async (api: Api, id: string) =>
  (await api.look((client) => client.GET('/kyb/{id}', { params: { path: { id } } }))).data

const SHOWN = 3

function showDue({ requirements: { currently_due: due } }: Application, before?: number): void {
  if (due.length === 0) {
    holds('nothing is due')
    return
  }
  const count = before === undefined ? due.length : `${before} → ${due.length}`
  detail(`${bold(`${count} still due`)}, starting with:`)
  for (const path of due.slice(0, SHOWN)) detail(`  ${withoutIds(path)}`)
  if (due.length > SHOWN) detail(`  ... and ${due.length - SHOWN} more`)
}
