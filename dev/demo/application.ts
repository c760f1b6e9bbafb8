/** The KYB application from its creation to the end of its review, each step checked. */
import type { Api } from './api.ts'
import { documents, SECTIONS } from './company.ts'
import { eventually, expectEqual } from './expect.ts'
import { bold, detail, fact, holds, step, withoutIds } from './screen.ts'

export interface Application {
  readonly id: string
  readonly external_id: string
  readonly identification_id: string
  readonly status: { completed: boolean; processed: boolean }
  readonly requirements: { currently_due: string[] }
  readonly review: { outcome: string; client_comment: string | null } | null
}

interface Data<T> {
  readonly data: T
}

export async function create(api: Api): Promise<Application> {
  step(
    'A company applies',
    'One request creates the application, the identification of the company and its account.',
  )
  const external_id = `demo-${new Date().toISOString().replace(/\D/g, '')}`
  const created = await api.send<Data<Application> & { generated_password: string }>(
    'POST',
    '/kyb',
    { external_id },
    201,
  )
  const { data, generated_password: password } = created
  fact('id', data.id)
  fact('external_id', `${data.external_id}  (your own id for the company)`)
  fact('identification_id', data.identification_id)
  fact('generated_password', `${password}  (shown this once: the company opens its form with it)`)
  showDue(data)
  expectEqual('external_id of the new application', data.external_id, external_id)
  for (const [given, expected] of [[password, true] as const, ['a guess', false] as const]) {
    const path = `/kyb/validate_password/${data.id}`
    const { authenticate } = await api.send<{ authenticate: boolean }>('POST', path, { password: given })
    expectEqual('authenticate', authenticate, expected)
    detail(`authenticate: ${authenticate}  (${expected ? 'the generated password' : 'a wrong one'})`)
  }
  return data
}

export async function fillIn(api: Api, { id }: Application): Promise<void> {
  step(
    'The company fills the application in',
    'Each PATCH sends only what it adds; requirements.currently_due tells what is still missing.',
    'A beneficiary settles one requirement and brings another: the identity document of the person.',
  )
  let due = (await read(api, id)).requirements.currently_due.length
  for (const [section, fields] of SECTIONS) {
    await api.send('PATCH', `/kyb/${id}`, { [section]: fields }, 200, section)
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
  for (const { attribute, name, type, bytes, email } of documents()) {
    expectEqual('status.completed while something is due', application.status.completed, false)
    const form = new FormData()
    form.set('attribute', attribute)
    if (email !== undefined) form.set('email', email)
    form.set('file', new Blob([bytes], { type }), name)
    const file = await api.send<{ name: string; id: string }>('POST', `/kyb/upload_file/${id}`, form, 201)
    expectEqual('name of the uploaded file', file.name, name)
    application = await read(api, id)
    const due = application.requirements.currently_due.length
    detail(`${attribute}: ${name}, ${bytes.length} bytes${email ? `, of ${email}` : ''} (${due} still due)`)
  }
  const { data } = await api.send<Data<Application>>('GET', `/kyb/${id}`)
  showDue(data)
  expectEqual('requirements.currently_due', data.requirements.currently_due, [])
  expectEqual('status', data.status, { completed: true, processed: false })
  holds('status.completed is true')
}

/** `signedOut` calls the operators' API; `asOperator` does so with the token that signing in gives. */
export async function review(
  { api, signedOut, asOperator }: { api: Api; signedOut: Api; asOperator: (token: string) => Api },
  operator: { email: string; password: string },
  { id }: Application,
): Promise<void> {
  step(
    'An operator reviews it',
    'Operators have users, tokens and a base path of their own; no client can reach it.',
  )
  const { data: session } = await signedOut.send<Data<{ access_token: string }>>('POST', '/sign_in', operator)
  const { data } = await asOperator(session.access_token).send<Data<Application>>(
    'POST',
    `/kyb/${id}/decision`,
    {
      outcome: 'approved',
      reason_code: 'complete',
      client_comment: 'Everything is in order.',
      internal_note: 'The registers agree with each other.',
    },
  )
  expectEqual('status after the decision', data.status, { completed: true, processed: true })
  expectEqual('outcome of the review', data.review?.outcome, 'approved')
  holds('the review is finished: status.processed is true')
  detail('From now on the application is locked:')
  const edit = { nature_of_business: { comercial_name: 'Another name' } }
  const refused = await api.send<{ errors: { code: string; message: string }[] }>(
    'PATCH',
    `/kyb/${id}`,
    edit,
    403,
  )
  const [error] = refused.errors
  expectEqual('error code of an edit after the review', error?.code, 'kyb_processed')
  fact('kyb_processed', error?.message ?? '')
}

export async function awaitApproval(
  { api, stopped }: { api: Api; stopped: AbortSignal },
  { identification_id }: Application,
): Promise<void> {
  const path = `/identifications/${identification_id}`
  const look = () => api.look<Data<{ status: string }>>(path)
  await eventually(look, ({ data }) => data.status === 'approved', { seconds: 30, stopped })
  const { data } = await api.send<Data<{ status: string }>>('GET', path)
  expectEqual('status of the identification', data.status, 'approved')
  holds(`the identification of the company is ${bold(data.status)}`)
}

const read = async (api: Api, id: string) => (await api.look<Data<Application>>(`/kyb/${id}`)).data

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
