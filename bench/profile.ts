/**
 * Command: `npm run bench:profile`. Compares reads and changes of an application whose profile adds fifty fields with
 * those of an application under the profile `default`, in the same run.
 */
import { callApi, createFilledKyb } from '../dev/demo/filled-application.ts'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { send } from './deliveries.ts'
import { liftRateLimits, signInToApi } from './instance.ts'
import { middle } from './middle.ts'
import { startTable } from './table.ts'

const FIELDS = 50
const WARM_UP = 20
const SAMPLES = 150

liftRateLimits()
const { instance, stop } = await startTemporaryInstance()
const operator = instance.operator_base_url
const token = await signInToApi(instance)
const profile = `${operator}/vaults/${instance.vault_id}/profile`

const names = Array.from({ length: FIELDS }, (_, n) => `field_${n}`)
const company = {
  rows: names.map((name) => ({
    path: `additional.${name}`,
    section: 'nature_of_business',
    type: 'short_text',
    label: { en: name, de: name },
    required: true,
  })),
}
const none = { rows: [] }

const usual = await createFilledKyb(instance, crypto.randomUUID())
await send('PUT', `${profile}/draft`, token, {
  document: { company, beneficiary: none, person: none },
})
await send('POST', `${profile}/draft/publish`, token, {})
const added = await createFilledKyb(instance, crypto.randomUUID())
const additional = Object.fromEntries(names.map((name) => [name, 'Some text']))
await callApi(instance, 'PATCH', `/kyb/${added.id}`, { additional })

let edits = 0
const change = () => ({ nature_of_business: { city_address: `Berlin ${edits++}` } })
const REQUESTS = {
  'GET /kyb/{id}': (id: string) => callApi(instance, 'GET', `/kyb/${id}`),
  'PATCH /kyb/{id}': (id: string) => callApi(instance, 'PATCH', `/kyb/${id}`, change()),
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const table = startTable('Profiles', 'Request', 'Default ms', `${FIELDS} fields ms`, 'Ratio')
for (const [name, request] of Object.entries(REQUESTS)) {
  const times: [number, number][] = []
  for (let n = 0; n < WARM_UP + SAMPLES; n++)
    times.push([await timeOf(() => request(usual.id)), await timeOf(() => request(added.id))])
  const [byDefault, withFields] = [0, 1].map((of) =>
    middle(
      times.slice(WARM_UP).map((pair) => pair[of] ?? 0),
      0.5,
    ),
  ) as [number, number]
  table.row(name, byDefault.toFixed(1), withFields.toFixed(1), (withFields / byDefault).toFixed(2))
}
table.end()
await stop()
