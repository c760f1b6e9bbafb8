/**
 * Records histories for the replay test from a running instance (`npm start`): one per path through a
 * workflow. Run `npm run record-histories` when a path is new; histories that are there stay as they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { Instance } from '../../dev/instance.ts'
import { openTemporal } from '../../src/temporal/client.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const instance: Instance = JSON.parse(
  readFileSync(`${process.env.DATA_DIR ?? '.gatehouse'}/instance.json`, 'utf8'),
)
const temporal = openTemporal({ address: instance.temporal_address, namespace: 'default' })

async function call(method: string, path: string, body: object) {
  const response = await fetch(instance.base_url + path, {
    method,
    headers: { Authorization: instance.api_key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { data: { id: string; identification_id: string } }
}

const createKyb = async () => (await call('POST', '/kyb', { external_id: crypto.randomUUID() })).data
const patch = (id: string, n = 0) =>
  call('PATCH', `/kyb/${id}`, { nature_of_business: { legal_company_name: `Company ${n}` } })
const review = (id: string, outcome: string) =>
  call('POST', `/sandbox/kyb/${id}/simulate_review`, { outcome })

/** Each path gives the ids of the workflows whose histories it makes. */
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
}

for (const [path, walk] of Object.entries(PATHS)) {
  const workflows = await walk()
  await new Promise((resolve) => setTimeout(resolve, 2_000)) // until the last task is written
  for (const [kind, workflowId] of Object.entries(workflows)) {
    const file = new URL(`${kind}-${path}.json`, FOLDER)
    if (existsSync(file)) continue
    const history = await temporal.workflow.getHandle(workflowId).fetchHistory()
    writeFileSync(file, `${historyToJSON(history)}\n`)
    console.log(`recorded ${kind}-${path}`)
  }
}
await temporal.connection.close()
