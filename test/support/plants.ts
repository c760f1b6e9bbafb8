/** Unique texts placed in all personal data, to search for them afterwards. */
import { randomBytes, randomInt } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { emails, verificationLinks } from '../../drizzle/schema.ts'
import { insertProposal } from '../../src/db/access/admin-proposal.ts'
import { findUserByEmail } from '../../src/db/access/user.ts'
import { confirmOtp, setPendingOtp } from '../../src/db/access/user-otp.ts'
import { type Database, transaction } from '../../src/db/connection/database.ts'
import { type SealedColumn, sealedFor } from '../../src/db/connection/sealed.ts'
import { emailInsert } from '../../src/db/email/email.ts'
import { setLegalHold } from '../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../src/domain/access/audit.ts'
import type { Field, Fields, FieldType } from '../../src/domain/fields/field.ts'
import { PERSON_FIELDS } from '../../src/domain/identification/person-form.ts'
import { BENEFICIARY_FIELDS } from '../../src/domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS } from '../../src/domain/kyb/fields.ts'
import { newOtpSecret } from '../../src/use-cases/credentials/otp.ts'
import type { Api } from './api.ts'
import { person } from './identification.ts'
import { eventually, type Instance, unique } from './instance.ts'
import type { List } from './list.ts'
import { pdfOf } from './pdf.ts'
import { openPerson, type PersonSession, submitPerson } from './person-page.ts'
import { photoFile, photograph } from './photo.ts'

interface Plants {
  /** Every planted text by its place. */
  readonly texts: ReadonlyMap<string, string>
  text(where: string): string
  email(where: string): string
  digits(where: string): string
  /** Registers a text that was created elsewhere, such as a key. */
  keep(where: string, text: string): void
}

export function createPlants(): Plants {
  const texts = new Map<string, string>()
  const plant = (where: string, text: string) => {
    texts.set(where, text)
    return text
  }
  const word = () => `plant${randomBytes(7).toString('hex')}`
  return {
    texts,
    text: (where) => plant(where, word()),
    email: (where) => `${plant(where, word())}@example.com`,
    digits: (where) => plant(where, `8${randomInt(1e9, 9e9)}`),
    keep: plant,
  }
}

/** Returns the places whose planted text occurs in the haystack. */
export const foundIn = ({ texts }: Plants, haystack: string): string[] =>
  [...texts].filter(([, text]) => haystack.toLowerCase().includes(text.toLowerCase())).map(([where]) => where)

function fieldValue(plants: Plants, where: string, field: Field): unknown {
  if (field.type === 'one_of') return field.values[0]
  if (field.type === 'some_of') return [field.values[0]]
  const values: Record<Exclude<FieldType, 'one_of' | 'some_of'>, () => unknown> = {
    text: () => plants.text(where),
    short_text: () => plants.text(where),
    url: () => `https://${plants.text(where)}.example/`,
    email: () => plants.email(where),
    phone: () => `+4${plants.digits(where)}`,
    number_text: () => plants.digits(where),
    percentage_text: () => '60',
    boolean: () => true,
    confirmation: () => true,
    date: () => '2015-02-28',
    country: () => 'DE',
    country_list: () => 'DE,FR',
    files: () => undefined,
  }
  return values[field.type]()
}

export const planted = (plants: Plants, where: string, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldValue(plants, `${where}.${name}`, field)]),
  )

/**
 * Plants a text in every field, in the file names and inside the photos of a person's hosted verification.
 */
export async function plantApplicant(
  plants: Plants,
  baseUrl: string,
  link: string,
  where: string,
): Promise<PersonSession> {
  const applicant = await openPerson(baseUrl, new URL(link).pathname)
  plants.keep(`${where}.cookie`, applicant.headers.Cookie.split('=').at(-1) ?? '')
  const answers = [await applicant.post('/consent', { consent: 'yes' })]
  for (const page of ['details', 'document'] as const)
    answers.push(await applicant.post(`/${page}`, planted(plants, where, PERSON_FIELDS[page]) as object))
  for (const attribute of ['document_front', 'selfie']) {
    const artist = plants.text(`${where}.${attribute} artist`)
    const name = `${plants.text(`${where}.${attribute} name`)}.jpg`
    answers.push(await applicant.upload(attribute, photoFile(await photograph({ artist }), name)))
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303))
  await submitPerson(applicant)
  return applicant
}

/**
 * Plants a text in every field of an application with two uploads, a beneficiary with a verification, and a
 * review.
 */
export async function plantKyb(plants: Plants, api: Api, operator: Api, baseUrl: string) {
  const owner = planted(plants, 'beneficiary', BENEFICIARY_FIELDS)
  const { beneficiaries, business_files, ...sections } = KYB_FIELDS
  const id = await api.createKyb(unique(), {
    nature_of_business: planted(plants, 'nature', sections.nature_of_business),
    usage_of_account: planted(plants, 'usage', sections.usage_of_account),
  })
  const patch = {
    business_files: planted(plants, 'files', business_files),
    beneficiaries: { ...planted(plants, 'owners', beneficiaries), beneficiaries_list: [owner] },
  }
  expect((await api.patch(`/kyb/${id}`, patch)).status).toBe(200)
  const pdf = () => new Blob([new Uint8Array(pdfOf(plants.text('file content')))])
  const uploads = [
    { attribute: 'incorporation_certificates' },
    { attribute: 'beneficiary_identification', email: String(owner.email) },
  ]
  const files: string[] = []
  for (const [index, fields] of uploads.entries()) {
    const name = `${plants.text(`file name ${index}`)}.pdf`
    const { status, body } = await api.upload(id, fields, pdf(), name)
    expect(status).toBe(201)
    files.push(body.id)
  }
  const [{ link }] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
  await plantApplicant(plants, baseUrl, link, 'check')
  const textsFor = (what: string) => ({
    reason_code: 'other',
    client_comment: plants.text(`${what} comment`),
    internal_note: plants.text(`${what} note`),
  })
  const revision = { outcome: 'revision_requested', ...textsFor('revision') }
  expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  const reply = { path: 'application', reply: plants.text('reply') }
  expect((await api.post(`/kyb/${id}/replies`, reply)).status).toBe(200)
  await plantNote(plants, operator, `/kyb/${id}`, 'application')
  const approval = { outcome: 'approved', ...textsFor('approval') }
  expect((await api.post(`/sandbox/kyb/${id}/simulate_review`, approval)).status).toBe(200)
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  await eventually(async () =>
    expect((await api.get(`/identifications/${identification_id}`)).body.data.status).toBe('approved'),
  )
  return { id, identificationId: identification_id as string, files }
}

async function plantNote(plants: Plants, operator: Api, path: string, where: string): Promise<void> {
  const { status } = await operator.post(`${path}/notes`, { text: plants.text(`${where} note`) })
  expect(status).toBe(201)
}

/** Plants notes in a case and in a client's block, lifts both, and closes the identification. */
export async function plantHolds(plants: Plants, api: Api, operator: Api, id: string): Promise<void> {
  const opened = await operator.post(`/identifications/${id}/cases`, {
    owner: 'transaction_monitoring',
    reason: 'aml_review',
    notes: plants.text('case notes'),
  })
  expect(opened.status).toBe(201)
  expect((await operator.post(`/cases/${opened.body.data.id}/close`)).status).toBe(200)
  const block = { reason: 'other', notes: plants.text('block notes') }
  expect((await api.post(`/identifications/${id}/block`, block)).status).toBe(200)
  expect((await api.post(`/identifications/${id}/unblock`)).status).toBe(200)
  expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
}

/** Plants a value that a client replaces under a legal hold, so that operators keep it. */
export async function plantKept(plants: Plants, db: Database, api: Api): Promise<void> {
  const created = await api.post('/identifications/soft_kyc', person())
  const { id } = created.body.data
  expect(await transaction(db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, id, true))).toBe(null)
  for (const city of [plants.text('replaced city'), plants.text('new city')])
    expect((await api.put(`/identifications/${id}`, { city })).status).toBe(200)
}

/** Plants texts in a person of a soft KYC, who is edited and then rejected with comments. */
export async function plantPerson(plants: Plants, api: Api, operator: Api): Promise<string> {
  const at = (field: string) => plants.text(`person.${field}`)
  const { body } = await api.post('/identifications/soft_kyc', {
    kind: 'person',
    name: at('name'),
    surname: at('surname'),
    address: at('address'),
    city: at('city'),
    country: 'GB',
    birthdate: '1985-12-10',
    email: plants.email('person.email'),
    document_type: 'PASSPORT',
    document_number: at('document_number'),
  })
  const id: string = body.data.id
  const edit = { postal_code: at('postal_code'), phone: `+4${plants.digits('person.phone')}` }
  expect((await api.put(`/identifications/${id}`, edit)).status).toBe(200)
  await plantNote(plants, operator, `/identifications/${id}`, 'person')
  const { status } = await operator.post(`/identifications/${id}/decision`, {
    outcome: 'rejected',
    reason_code: 'high_risk',
    client_comment: plants.text('decision comment'),
    internal_note: plants.text('decision note'),
    findings: [{ path: 'city', code: 'mismatch', comment: plants.text('decision finding') }],
  })
  expect(status).toBe(200)
  return id
}

/** Plants texts in decisions about a person and an application that remain pending a second approval. */
export async function plantProposal(plants: Plants, api: Api, operator: Api, vaultId: string): Promise<void> {
  const { body } = await api.post('/identifications/soft_kyc', person())
  const twoFor = (four_eyes: string[]) => operator.patch(`/vaults/${vaultId}`, { four_eyes })
  expect((await twoFor(['rejections'])).status).toBe(200)
  for (const path of [`/identifications/${body.data.id}`, `/kyb/${await api.createKyb()}`]) {
    const proposed = await operator.post(`${path}/decision`, {
      outcome: 'rejected',
      reason_code: 'high_risk',
      client_comment: plants.text(`${path} proposal comment`),
      internal_note: plants.text(`${path} proposal note`),
    })
    expect(proposed.body.pending_confirmation?.outcome).toBe('rejected')
  }
  expect((await twoFor([])).status).toBe(200)
}

/** Plants texts in a person who is on a list, with an operator's comments, and rejects the person. */
export async function plantListed(plants: Plants, api: Api, operator: Api, list: List): Promise<string> {
  const surname = plants.text('listed.surname')
  const more = { alias: [plants.text('list alias')] }
  list.write([{ id: plants.text('list entry'), name: `Zed ${surname}`, more }])
  const { body } = await api.post('/identifications/soft_kyc', {
    kind: 'person',
    name: 'Zed',
    surname,
    address: 'a',
    city: 'b',
    country: 'GB',
    birthdate: '1985-12-10',
    email: 'zed@example.com',
    document_type: 'PASSPORT',
    document_number: 'c',
  })
  const id: string = body.data.id
  const [hit] = await eventually(async () => {
    const { hits } = (await operator.get(`/identifications/${id}`)).body.data.screening
    expect(hits).toHaveLength(1)
    return hits
  })
  const decision = { outcome: 'confirmed', comment: plants.text('hit comment') }
  expect((await operator.post(`/screening_hits/${hit.id}/decision`, decision)).status).toBe(200)
  const rejection = { outcome: 'rejected', reason_code: 'sanctions_match' }
  expect((await operator.post(`/identifications/${id}/decision`, rejection)).status).toBe(200)
  return id
}

/**
 * Plants texts in a hosted verification with a return URL and an email, and closes it. Returns the link's token and
 * the identification.
 */
export async function plantHosted(
  plants: Plants,
  { api, baseUrl, db, vaultId }: Pick<Instance, 'api' | 'baseUrl' | 'db' | 'vaultId'>,
): Promise<{ id: string; token: string }> {
  const external = unique()
  const { status, body } = await api.post('/identifications/create_identify_process', {
    type: 'kyc',
    external_uuid: external,
    email: `${unique()}@example.com`,
    redirect_url: `https://example.com/back?who=${plants.text('hosted.redirect')}`,
  })
  expect(status).toBe(201)
  const token = new URL(body.data.url).pathname.split('/').at(-1) ?? ''
  plants.keep('link token', token)
  await plantApplicant(plants, baseUrl, body.data.url, 'applicant')
  const list = await api.get(`/identifications?filter[external_uuid]=${external}`)
  const id: string = list.body.data[0].id
  await plantEmail(plants, db, { vaultId, identificationId: id }, token)
  expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
  return { id, token }
}

/** Plants the values that emails add: the address and the token of the link, and a sent email. */
async function plantEmail(
  plants: Plants,
  db: Database,
  of: { readonly vaultId: string; readonly identificationId: string },
  token: string,
): Promise<void> {
  const address = plants.email('email.address')
  const seal = (value: string, column: SealedColumn) =>
    db.encryption.seal(value, sealedFor(column, of.identificationId))
  await emailInsert(db, { ...of, notice: 'link', address })
  await db.orm
    .update(emails)
    .set({ status: 'sent', workflowStartedAt: new Date() })
    .where(eq(emails.identificationId, of.identificationId))
  await db.orm
    .update(verificationLinks)
    .set({
      email: seal(plants.email('link.email'), 'verification_links.email'),
      token: seal(token, 'verification_links.token'),
    })
    .where(eq(verificationLinks.identificationId, of.identificationId))
}

/** Plants two secrets of one-time codes, an active one and an unconfirmed one. */
export async function plantCodes(plants: Plants, db: Database, email: string): Promise<void> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new Error('there is no such user')
  const [current, pending] = [newOtpSecret(), newOtpSecret()]
  plants.keep('code secret', current)
  plants.keep('pending code secret', pending)
  await confirmOtp(db, user.id, current, 1)
  await setPendingOtp(db, user.id, pending)
  const invited = {
    kind: 'create_user',
    email: plants.email('proposed email'),
    vaults: [],
    operatorGrants: [],
  } as const
  const firstHalf = plants.text('half of a password')
  await insertProposal(db, { id: unique(), proposedBy: 'operator:1', action: invited, firstHalf })
}
