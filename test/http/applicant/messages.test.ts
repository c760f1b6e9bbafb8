/** Tests that the error message for each common mistake names the next step. */
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { apiKeys } from '../../../drizzle/schema.ts'
import { insertApiKey } from '../../../src/db/access/api-key.ts'
import { EVENTS } from '../../../src/domain/webhook/events.ts'
import { newApiKey } from '../../../src/use-cases/credentials/api-key-text.ts'
import { type Api, type ApiResponse, createApi } from '../../support/api.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, signedIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, reader, vaultId } = gatehouse
const operator = await gatehouse.operator()
const kyb = await api.createKyb()
const { identification_id: identification } = (await api.get(`/kyb/${kyb}`)).body.data
const { account_id: account } = (await api.get(`/identifications/${identification}`)).body.data
const file = (await api.upload(kyb, { attribute: 'aml_policies' })).body.id
const other = await addVault(gatehouse)
const foreign = await other.api.createKyb()
const twoVaults = await signedIn(gatehouse, 'client', {
  vaults: [
    { id: vaultId, roles: ['api_read'] },
    { id: other.vaultId, roles: ['api_write'] },
  ],
})
const user = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: ['api_read'] }] })
const reviewer = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
const ended = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: ['api_read'] }] })
await operator.post(`/users/${ended.id}/revoke_tokens`)
const revoked = await createKey(gatehouse, { roles: ['api_read'] })
await operator.delete(`/api_keys/${revoked.id}`)
const expired = newApiKey('sandbox')
const expiredId = crypto.randomUUID()
await insertApiKey(gatehouse.db, { id: expiredId, vaultId, key: expired, roles: ['api_read'] })
const past = sql`clock_timestamp() - interval '1 day'`
await gatehouse.db.orm.update(apiKeys).set({ expiresAt: past }).where(eq(apiKeys.id, expiredId))

const as = (credentials: string, base = '/v1') => createApi(`${gatehouse.baseUrl}${base}`, credentials)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: object) => as(`${part({ alg: 'EdDSA' })}.${part(claims)}.c2ln`)
const form = (fields: Record<string, string | Blob>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return api.send('POST', `/kyb/upload_file/${kyb}`, data)
}
const pdf = new Blob(['%PDF-1.4\n%%EOF\n'])
const create = (fields: object) => api.post('/kyb', { external_id: unique(), ...fields })
const company = (fields: object) => create({ nature_of_business: fields })
const usage = (fields: object) => create({ usage_of_account: fields })
const person = (fields: object) =>
  create({ beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', ...fields }] } })
const hooks = (webhook_url: unknown) => api.put('/users/update_webhook', { webhook_url })
const pay = (fields: object) =>
  api.post(`/sandbox/accounts/${account}/simulate_incoming_fiat`, {
    amount: '10.50',
    currency: 'EUR',
    ...fields,
  })
const retry = (fields: object) =>
  api.post('/webhook_logs/retry', { type: 'account', status: 'failed', from: 1, to: 2, ...fields })
const soft = (fields: object) => api.post('/identifications/soft_kyc', fields)
const hour = 3_600
const OWN_EVENTS = Object.keys(EVENTS).filter((name) => /^(identification|kyb)_/.test(name))

type Mistake = readonly [name: string, send: () => ReturnType<Api['get']>, expected: string]

const MISTAKES: readonly Mistake[] = [
  [
    'no credentials',
    () => as('').get('/kyb'),
    '401 The request has no credentials. Send an API key or an access token in the Authorization header.',
  ],
  [
    'an unsupported scheme',
    () => as('Basic YTpi').get('/kyb'),
    '401 The Authorization header does not contain an API key or an access token. Send it with or without Bearer.',
  ],
  [
    'a mistyped key',
    () => as(`${gatehouse.credentials.api_key.slice(0, -1)}_`).get('/kyb'),
    '401 This API key is incomplete or mistyped. Copy it again.',
  ],
  [
    'an unknown key',
    () => as(newApiKey('sandbox')).get('/kyb'),
    '401 This API key does not exist here. It may belong to another installation.',
  ],
  ['a revoked key', () => revoked.api.get('/kyb'), '401 This API key has been revoked. Use another key.'],
  ['an expired key', () => as(expired).get('/kyb'), '401 This API key has expired. Use another key.'],
  [
    'a key of production',
    () => as(newApiKey('production')).get('/kyb'),
    '401 This API key is for another environment. Keys of this environment start with gk_test_.',
  ],
  [
    'a key on an operator path',
    () => as(gatehouse.credentials.api_key, '/operator/v1').get('/queue'),
    '401 API keys are valid only for /v1. Operators send the access token of POST /operator/v1/sign_in.',
  ],
  [
    'no credentials on an operator path',
    () => as('', '/operator/v1').get('/queue'),
    '401 The request has no credentials. Send the access token of POST /operator/v1/sign_in in the Authorization header.',
  ],
  [
    'an operator’s token on a client path',
    () => as(reviewer.token).get('/kyb'),
    '401 This access token is for operators. Sign in with POST /v1/sign_in.',
  ],
  [
    'a client’s token on an operator path',
    () => as(user.token, '/operator/v1').get('/queue'),
    '401 This access token is for clients. Sign in with POST /operator/v1/sign_in.',
  ],
  [
    'an expired token',
    () => tokenOf({ aud: 'sandbox:client', exp: 1 }).get('/kyb'),
    '401 This access token has expired. Sign in again with POST /v1/sign_in.',
  ],
  [
    'a token of production',
    () => tokenOf({ aud: 'production:client', exp: 9e9 }).get('/kyb'),
    '401 This access token is for another environment. Sign in with POST /v1/sign_in.',
  ],
  [
    'a token with an audience that is not a string',
    () => tokenOf({ aud: { toString: null } }).get('/kyb'),
    '401 This access token is for another environment. Sign in with POST /v1/sign_in.',
  ],
  [
    'a token with an expiry that is not a number',
    () => tokenOf({ aud: 'sandbox:client', exp: { toString: null, valueOf: null } }).get('/kyb'),
    '401 This access token has expired. Sign in again with POST /v1/sign_in.',
  ],
  [
    'a forged token',
    () => tokenOf({ aud: 'sandbox:client', exp: 9e9 }).get('/kyb'),
    '401 This access token was revoked or does not exist here. Sign in again with POST /v1/sign_in.',
  ],
  [
    'a revoked token',
    () => ended.api.get('/kyb'),
    '401 This access token was revoked or does not exist here. Sign in again with POST /v1/sign_in.',
  ],
  [
    'a read-only key',
    () => reader.post('/kyb', { external_id: 'company-1' }),
    '403 insufficient_role: This requires the role api_write. The credentials have api_read.',
  ],
  [
    'an operator without the role administrator',
    () => reviewer.api.get('/users'),
    '403 insufficient_role: This requires the role auditor or administrator for all vaults. The credentials have senior_reviewer.',
  ],
  [
    'a password change with an API key',
    () => api.post('/users/change_password', { current_password: 'a', new_password: 'seven words' }),
    '403 insufficient_role: API keys have no password. Sign in as a user.',
  ],
  [
    'another vault’s application',
    () => api.get(`/kyb/${foreign}`),
    '404 not_found: Record not found: there is no application with this ID in a vault that you can access.',
  ],
  [
    'the ID of an identification instead of an application',
    () => api.get(`/kyb/${identification}`),
    '404 not_found: Record not found: there is no application with this ID in a vault that you can access. This is the ID of an identification.',
  ],
  [
    'the ID of an application instead of an identification',
    () => api.get(`/identifications/${kyb}`),
    '404 not_found: Record not found: there is no identification with this ID in a vault that you can access. This is the ID of an application.',
  ],
  [
    'the ID of an account instead of an identification',
    () => api.post(`/identifications/${account}/unblock`),
    '404 not_found: Record not found: there is no identification with this ID in a vault that you can access. This is the ID of an account.',
  ],
  [
    'the ID of an application instead of a delivery',
    () => api.get(`/webhook_logs/${kyb}/attempts`),
    '404 not_found: Record not found: there is no delivery with this ID in a vault that you can access. This is the ID of an application.',
  ],
  [
    'the ID of an identification instead of an account',
    () =>
      api.post(`/sandbox/accounts/${identification}/simulate_incoming_fiat`, {
        amount: '1',
        currency: 'EUR',
      }),
    '404 not_found: Record not found: there is no account with this ID in a vault that you can access. This is the ID of an identification.',
  ],
  [
    'an unknown file of a person',
    () => api.get(`/identifications/${identification}/files/${identification}`),
    '404 not_found: Record not found: there is no identification with this ID and file in a vault that you can access.',
  ],
  [
    'an unknown delivery of an application',
    () => operator.post(`/kyb/${kyb}/deliveries/${kyb}/retry`),
    '404 not_found: Record not found: there is no application with this ID and delivery.',
  ],
  [
    'an unknown action of an administrator',
    () => operator.post(`/admin_actions/${kyb}/confirm`),
    '404 not_found: Record not found: there is no action with this ID. This is the ID of an application.',
  ],
  [
    'an unknown file',
    () => api.get(`/kyb/${kyb}/files/${kyb}`),
    '404 not_found: Record not found: there is no application with this ID and file in a vault that you can access.',
  ],
  [
    'an unknown vault',
    () => api.get(`/webhook_logs?vault_id=${kyb}`),
    '404 not_found: Record not found: there is no vault with this ID that you can access.',
  ],
  [
    'the ID of an application on an operator path',
    () => operator.get(`/identifications/${kyb}`),
    '404 not_found: Record not found: there is no identification with this ID. This is the ID of an application.',
  ],
  [
    'an unknown user',
    () => operator.get(`/users/${kyb}`),
    '404 not_found: Record not found: there is no user with this ID. This is the ID of an application.',
  ],
  [
    'a malformed ID',
    () => api.get('/kyb/company-1842'),
    '400 malformed_request id: Send an ID, a UUID such as 018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f.',
  ],
  [
    'an unknown path',
    () => api.get('/kybs'),
    '404 not_found: This path does not exist. API paths start with /v1 or /operator/v1, without double slashes.',
  ],
  [
    'an unsupported method',
    () => api.delete('/kyb'),
    '405 method_not_allowed: This path does not support the method. Choose from: GET, HEAD, POST.',
  ],
  [
    'invalid JSON',
    () => api.send('POST', '/kyb', '{"external_id": company}'),
    '400 malformed_request: The body is not valid JSON at line 1, column 17. Correct it.',
  ],
  [
    'JSON with another content type',
    () => api.send('POST', '/kyb', '{}', { 'Content-Type': 'text/plain' }),
    '415 unsupported_media_type: The content type is not supported. Send application/json, or multipart/form-data for a file.',
  ],
  [
    'a body that is too large',
    () => create({ nature_of_business: { description_activity: 'x'.repeat(1_100_000) } }),
    '413 payload_too_large: The request body exceeds 1 MB (64 kB for a provider callback). Send less data in each request.',
  ],
  [
    'a body that is too deep',
    () => api.send('POST', '/kyb', '['.repeat(30) + ']'.repeat(30)),
    '400 malformed_request: The body is nested deeper than 20 levels. Use fewer levels.',
  ],
  ['a list instead of an object', () => api.post('/kyb', []), '422 invalid: Send a JSON object, such as {}.'],
  [
    'an unknown field',
    () => create({ colour: 'blue' }),
    '422 unknown_field colour: This field does not exist. Remove it.',
  ],
  [
    'a query parameter without its brackets',
    () => api.get('/identifications?external_uuid=x'),
    '422 unknown_field external_uuid: This field does not exist. Did you mean filter[external_uuid]?',
  ],
  [
    'a misspelt query parameter',
    () => api.get('/identifications?filter[external_uid]=x'),
    '422 unknown_field filter[external_uid]: This field does not exist. Did you mean filter[external_uuid]?',
  ],
  [
    'a misspelt field',
    () => api.post('/kyb', { externalId: unique() }),
    '422 required external_id: This field is required.\n422 unknown_field externalId: This field does not exist. Did you mean external_id?',
  ],
  [
    'the field legal_name',
    () => company({ legal_name: 'x' }),
    '422 unknown_field nature_of_business.legal_name: This field does not exist. Did you mean legal_company_name or website_legal_name_check?',
  ],
  [
    'the field legalName',
    () => company({ legalName: 'x' }),
    '422 unknown_field nature_of_business.legalName: This field does not exist. Did you mean legal_company_name or website_legal_name_check?',
  ],
  [
    'the field incorporation_date',
    () => company({ incorporation_date: 'x' }),
    '422 unknown_field nature_of_business.incorporation_date: This field does not exist. Did you mean date_of_incorporation?',
  ],
  [
    'the field postal_code',
    () => company({ postal_code: 'x' }),
    '422 unknown_field nature_of_business.postal_code: This field does not exist. Did you mean postal_code_address?',
  ],
  [
    'the field country',
    () => company({ country: 'x' }),
    '422 unknown_field nature_of_business.country: This field does not exist. Did you mean country_of_incorporation or country_address or tax_residency_country?',
  ],
  [
    'the field zip',
    () => company({ zip: 'x' }),
    '422 unknown_field nature_of_business.zip: This field does not exist. Remove it.',
  ],
  [
    'the field _',
    () => company({ _: 'x' }),
    '422 unknown_field nature_of_business._: This field does not exist. Remove it.',
  ],
  ['no external_id', () => api.post('/kyb', {}), '422 required external_id: This field is required.'],
  [
    'a number instead of a string',
    () => create({ external_id: 1842 }),
    '422 invalid external_id: Send a JSON string, such as "text".',
  ],
  [
    'an empty external_id',
    () => create({ external_id: '' }),
    '422 required external_id: This field is required.',
  ],
  [
    'a long external_id',
    () => create({ external_id: 'x'.repeat(256) }),
    '422 too_long external_id: At most 255 characters are allowed.',
  ],
  [
    'a string instead of a boolean',
    () => create({ client_kyc: 'yes' }),
    '422 invalid client_kyc: Send true or false.',
  ],
  [
    'a string instead of a section',
    () => create({ nature_of_business: 'Engines' }),
    '422 invalid nature_of_business: Send a JSON object, such as {}.',
  ],
  [
    'an unknown country',
    () => company({ country_address: 'Germany' }),
    '422 invalid nature_of_business.country_address: Send an ISO 3166-1 alpha-2 country code in capital letters, such as DE, GB (not UK), GR (not EL), or XK for Kosovo.',
  ],
  [
    'a country in small letters',
    () => company({ country_address: 'de' }),
    '422 invalid nature_of_business.country_address: Send an ISO 3166-1 alpha-2 country code in capital letters, such as DE, GB (not UK), GR (not EL), or XK for Kosovo.',
  ],
  [
    'a country as the EU writes it',
    () => company({ country_address: 'EL' }),
    '422 invalid nature_of_business.country_address: Send an ISO 3166-1 alpha-2 country code in capital letters, such as DE, GB (not UK), GR (not EL), or XK for Kosovo.',
  ],
  [
    'an email with an umlaut before the @',
    () => company({ email: 'müller@example.com' }),
    '422 invalid nature_of_business.email: Send one email address without spaces, with ASCII characters before the @, such as ada@example.com.',
  ],
  [
    'an email with a name',
    () => company({ email: 'Ada <ada@example.com>' }),
    '422 invalid nature_of_business.email: Send one email address without spaces, with ASCII characters before the @, such as ada@example.com.',
  ],
  [
    'a date that does not exist',
    () => company({ date_of_incorporation: '2026-02-30' }),
    '400 malformed_request nature_of_business.date_of_incorporation: Send the date as YYYY-MM-DD. It must exist in the calendar.',
  ],
  [
    'a website without a scheme',
    () => company({ website: 'engines.example.com' }),
    '422 invalid nature_of_business.website: Send a URL, such as https://example.com.',
  ],
  [
    'a local phone number',
    () => company({ phone: '030 123456' }),
    '422 invalid nature_of_business.phone: Send the number in international format, such as +4930123456.',
  ],
  [
    'a malformed email',
    () => company({ email: 'office' }),
    '422 invalid nature_of_business.email: Send one email address without spaces, with ASCII characters before the @, such as ada@example.com.',
  ],
  [
    'an unknown company type',
    () => company({ company_type: 'gmbh' }),
    '422 invalid nature_of_business.company_type: Choose from: limited_liability_company, public_limited_company, partnership, limited_partnership, sole_proprietorship, foundation, association, cooperative, trust, branch, other.',
  ],
  [
    'an unknown service',
    () => usage({ list_of_services: ['gold'] }),
    '422 invalid usage_of_account.list_of_services.0: Choose from: iban, sepa_payments, swift_payments, card_payments, card_issuing, crypto_trading, crypto_payments, open_banking, settlements, other.',
  ],
  [
    'a string instead of a list',
    () => usage({ list_of_services: 'iban' }),
    '422 invalid usage_of_account.list_of_services: Send a JSON array, such as [].',
  ],
  [
    'a number instead of a numeric string',
    () => usage({ trx_count_monthly: 120 }),
    '422 invalid usage_of_account.trx_count_monthly: Send a number as a string, such as "1500" or "2.5".',
  ],
  [
    'a number with a comma',
    () => usage({ trx_value_monthly: '45,000' }),
    '422 invalid usage_of_account.trx_value_monthly: Send a number as a string, such as "1500" or "2.5".',
  ],
  [
    'countries separated by spaces',
    () => usage({ list_of_countries_operated: 'DE FR' }),
    '422 invalid usage_of_account.list_of_countries_operated: Send ISO 3166-1 alpha-2 country codes in capital letters, separated by commas, such as DE,FR.',
  ],
  [
    'a file name instead of an ID',
    () => usage({ aml_policies: [{ id: 'policy.pdf' }] }),
    '422 invalid usage_of_account.aml_policies.0.id: Send an ID, a UUID such as 018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f.',
  ],
  [
    'a file that was not uploaded',
    () => usage({ aml_policies: [{ id: unique() }] }),
    '422 unknown_file usage_of_account.aml_policies.0.id: No file with this ID was uploaded to this application. Upload the file first.',
  ],
  [
    'too many files',
    () => usage({ aml_policies: Array(501).fill({ id: file }) }),
    '422 too_many usage_of_account.aml_policies: At most 500 entries are allowed.',
  ],
  [
    'a stake of 101',
    () => person({ stake_in_company: '101' }),
    '422 invalid beneficiaries.beneficiaries_list.0.stake_in_company: Send a percentage of at most 100.',
  ],
  [
    'a person without an email',
    () => person({ email: undefined }),
    '422 required beneficiaries.beneficiaries_list.0.email: This field is required.',
  ],
  [
    'an unknown role',
    () => person({ roles: ['owner'] }),
    '422 invalid beneficiaries.beneficiaries_list.0.roles.0: Choose from: director, ubo, shareholder, signatory, authorized_person.',
  ],
  [
    'an external_id that is taken',
    async () => {
      const external_id = unique()
      await create({ external_id })
      return create({ external_id })
    },
    '422 external_id_taken external_id: This external_id belongs to the application <id>, which is open. Use that one, or send another external_id.',
  ],
  [
    'an Idempotency-Key with a space',
    () => api.send('POST', '/kyb', { external_id: unique() }, { 'Idempotency-Key': 'a b' }),
    '400 malformed_request Idempotency-Key: Send 1 to 255 visible ASCII characters in the Idempotency-Key header.',
  ],
  [
    'a file in the wrong field',
    () => form({ document: pdf, attribute: 'aml_policies' }),
    '422 unknown_field document: The form has a file outside the `file` field, or more than one file. Send one file in `file`.',
  ],
  [
    'a path instead of a file',
    () => form({ file: '/tmp/policy.pdf', attribute: 'aml_policies' }),
    '422 required file: Send the file itself in the `file` field. With curl, use -F file=@name.pdf.',
  ],
  [
    'no file',
    () => form({ attribute: 'aml_policies' }),
    '422 required file: Send the file itself in the `file` field. With curl, use -F file=@name.pdf.',
  ],
  [
    'an empty file',
    () => form({ attribute: 'aml_policies', file: new Blob([]) }),
    '422 unsupported_file_type file: The file is empty. Upload a file with content.',
  ],
  [
    'a form without a boundary',
    () => api.send('POST', `/kyb/upload_file/${kyb}`, 'file', { 'Content-Type': 'multipart/form-data' }),
    '400 malformed_request: The form cannot be parsed. Let your HTTP client set the Content-Type header, which must name the boundary.',
  ],
  [
    'a time in milliseconds',
    () => api.get('/kyb?from=1767225600000'),
    '400 malformed_request from: Send the time in Unix seconds, such as 1767225600. This value is too large. Milliseconds are not accepted.',
  ],
  [
    'a decision on an identification during the review of its company',
    () =>
      operator.post(`/identifications/${identification}/decision`, {
        version: 1,
        outcome: 'approved',
        reason_code: 'complete',
      }),
    '422 invalid_transition: The review of the company’s application decides this identification. Decide on the application.',
  ],
  [
    'a file of another type',
    () => form({ attribute: 'aml_policies', file: new Blob(['Dear all, as text']) }),
    '422 unsupported_file_type file: The file is not a PDF, JPEG or PNG file. Convert it and upload it again.',
  ],
  [
    'an unknown file list',
    () => form({ attribute: 'policies', file: pdf }),
    '422 invalid attribute: Choose from: fund_evidences, proof_regulations, aml_policies, incorporation_certificates, articles_of_association, legal_structures, residence_proofs, shareholders_registers, directors_registers, good_standing_certificate, internal_shareholder_register, power_of_attorney, evidence_of_ubos, proof_address, beneficiary_identification.',
  ],
  [
    'a person’s file without the person',
    () => form({ attribute: 'proof_address', file: pdf }),
    '422 required email: This attribute belongs to a beneficiary. Send the person’s external_id or email.',
  ],
  [
    'a file for an unknown beneficiary',
    () => form({ attribute: 'proof_address', email: 'bob@example.com', file: pdf }),
    '422 unknown_beneficiary email: No beneficiary of the application has this external_id or email. Add the person with PATCH /kyb/{id} first.',
  ],
  [
    'an upload as JSON',
    () => api.post(`/kyb/upload_file/${kyb}`, { attribute: 'aml_policies' }),
    '415 unsupported_media_type: Send multipart/form-data with the `file` and `attribute` fields.',
  ],
  [
    'an amount as a number',
    () => pay({ amount: 10 }),
    '422 invalid amount: Send a decimal number as a string, such as "10.50".',
  ],
  [
    'an amount with too many decimals',
    () => pay({ amount: '10.505' }),
    '422 invalid amount: The currency has 2 decimals. Send no more decimals.',
  ],
  [
    'a negative amount',
    () => pay({ amount: '-10.50' }),
    '422 invalid amount: Send a decimal number without a sign as a string, such as "10.50", with at most 18 digits before and after the point.',
  ],
  [
    'null in a field that cannot be cleared',
    () => pay({ currency: null }),
    '422 invalid currency: Send a JSON string, such as "text". Null is not allowed here.',
  ],
  [
    'an unknown currency',
    () => pay({ currency: 'EURO' }),
    '422 invalid currency: Send an ISO 4217 currency code, such as EUR.',
  ],
  [
    'an unknown topic',
    () => hooks({ payments: ['https://client.example.com'] }),
    '422 unknown_topic webhook_url.payments: This webhook topic does not exist. Choose from: account, identification, fiat_payment, card_payment, blockchain_payment, blockchain_wallet, open_banking_transaction_completed, daily_settlement, ticket, transaction_monitoring, manual_review.',
  ],
  [
    'a URL instead of a list',
    () => hooks({ account: 'https://client.example.com' }),
    '422 invalid webhook_url.account: Send a JSON array, such as [].',
  ],
  [
    'a malformed URL',
    () => hooks({ account: ['client.example.com'] }),
    '422 invalid webhook_url.account.0: Send an http or https URL.',
  ],
  [
    'a URL that is too long',
    () => hooks({ account: [`https://client.example.com/${'x'.repeat(2_000)}`] }),
    '422 too_long webhook_url.account.0: At most 2000 characters are allowed.',
  ],
  [
    'a URL with a tab',
    () => hooks({ account: ['https://client.exa\tmple.com'] }),
    '422 invalid webhook_url.account.0: Remove spaces and invisible characters from the URL.',
  ],
  [
    'a URL with a password',
    () => hooks({ account: ['https://a:b@client.example.com'] }),
    '422 invalid webhook_url.account.0: Remove the user name and the password from the URL.',
  ],
  [
    'too many URLs',
    () => hooks({ account: Array.from({ length: 11 }, (_, n) => `https://client.example.com/${n}`) }),
    '422 too_many webhook_url.account: At most 10 entries are allowed.',
  ],
  [
    'a long overlap',
    () => api.post('/users/rotate_webhook_secret', { overlap_hours: 169 }),
    '422 invalid overlap_hours: The largest value is 168.',
  ],
  [
    'half an hour of overlap',
    () => api.post('/users/rotate_webhook_secret', { overlap_hours: 0.5 }),
    '422 invalid overlap_hours: Send a whole number, such as 1.',
  ],
  [
    'a negative overlap',
    () => api.post('/users/rotate_webhook_secret', { overlap_hours: -1 }),
    '422 invalid overlap_hours: The smallest value is 0.',
  ],
  [
    'from after to',
    () => retry({ from: 2 * hour, to: hour }),
    '422 invalid to: Send a time that is not earlier than `from`.',
  ],
  ...(
    [
      ['applications', () => api.get(`/kyb?from=${2 * hour}&to=${hour}`)],
      ['deliveries', () => api.get(`/webhook_logs?type=all&status=all&from=${2 * hour}&to=${hour}`)],
      ['cases', () => operator.get(`/cases?from=${2 * hour}&to=${hour}`)],
      ['the audit trail', () => operator.get(`/audit?from=${2 * hour}&to=${hour}`)],
    ] as const
  ).map(
    ([list, send]): Mistake => [
      `from after to in ${list}`,
      send,
      '422 invalid to: Send a time that is not earlier than `from`.',
    ],
  ),
  [
    'a write with api_write only in another vault',
    () => twoVaults.api.post('/kyb', { external_id: unique() }),
    '403 insufficient_role: This requires the role api_write in the vault (your first vault unless vault_id names another). The credentials have api_read.',
  ],
  [
    'a date instead of a timestamp',
    () => retry({ from: '2026-01-01' }),
    '422 invalid from: Send the time in Unix seconds, such as 1767225600.',
  ],
  [
    'a status that cannot be retried',
    () => retry({ status: 'completed' }),
    '422 invalid status: Choose from: failed, partial.',
  ],
  [
    'an unknown status',
    () => api.get('/webhook_logs?type=account&status=done'),
    '422 invalid status: Choose from: pending, processing, completed, partial, failed, all.',
  ],
  ['page 0', () => api.get('/kyb?page=0'), '422 invalid page: The smallest value is 1.'],
  [
    'a page that is not a number',
    () => api.get('/kyb?page=first'),
    '400 malformed_request page: Send a whole number.',
  ],
  [
    'a parameter in Latin-1',
    () => api.get('/identifications?filter[external_uuid]=Z%FCrich'),
    '400 malformed_request filter[external_uuid]: Encode this text in UTF-8.',
  ],
  [
    'a repeated parameter',
    () => api.get('/kyb?page=1&page=2'),
    '400 malformed_request page: Send this parameter once.',
  ],
  [
    'an unknown parameter',
    () => api.get('/kyb?sort=name'),
    '422 unknown_field sort: This field does not exist. Remove it.',
  ],
  [
    'a missing kind',
    () => soft({}),
    '422 required kind: This field is required. Choose from: person, company.',
  ],
  [
    'a document that the profile does not ask for',
    async () => {
      const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc' })
      const data = new FormData()
      data.append('attribute', 'document_front')
      data.append('file', pdf)
      return api.send('POST', `/identifications/${body.data.identification_id}/files`, data)
    },
    '422 invalid attribute: The profile asks this person for no documents. Ask an administrator to add the document to the profile.',
  ],
  [
    'a mistyped event of Gatehouse',
    async () => {
      await hooks({ ticket: ['https://receiver.example.com/'] })
      const { body } = await api.get('/webhook_urls')
      return api.patch(`/webhook_urls/${body.data[0].id}`, { events: ['kyb_proccessed'] })
    },
    `422 invalid events.0: This event does not exist. Choose from: ${OWN_EVENTS.join(', ')}.`,
  ],
  ['an unknown kind', () => soft({ kind: 'human' }), '422 invalid kind: Choose from: person, company.'],
  [
    'an unknown reason',
    () => api.post(`/identifications/${identification}/block`, { reason: 'fraud' }),
    '422 invalid reason: Choose from: client_request, suspected_fraud, account_takeover, sanctions_match, aml_review, chargeback_risk, terms_violation, document_expired, legal_order, deceased, other.',
  ],
  [
    'the reason other without notes',
    () => api.post(`/identifications/${identification}/block`, { reason: 'other' }),
    '422 required notes: The reason is `other`. Describe it in the notes.',
  ],
  [
    'a block before approval',
    () => api.post(`/identifications/${identification}/block`, { reason: 'aml_review' }),
    '422 cannot_block: Only an approved identification can be blocked. Fetch it to see its status.',
  ],
  [
    'an unblock without a block',
    () => api.post(`/identifications/${identification}/unblock`),
    '422 cannot_unblock: Only a blocked identification that was not closed can be unblocked. Fetch it to see its status.',
  ],
]

/** Returns the status, code, field and message of each problem. */
function formatProblems({ status, body }: ApiResponse): string {
  if (typeof body.error === 'string') return `${status} ${body.error}`
  const problems: { code: string; field?: string; message: string }[] = body.errors ?? []
  return problems
    .map(({ code, field, message }) => `${status} ${[code, field].filter(Boolean).join(' ')}: ${message}`)
    .join('\n')
}

test.each(MISTAKES)('states the problem and the next step for %s', async (_name, send, expected) => {
  const answer = formatProblems(await send())
  expect(answer.replace(/(?<=application )[0-9a-f-]{36}/, '<id>')).toBe(expected)
})
