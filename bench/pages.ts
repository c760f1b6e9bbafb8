/**
 * Command: `npm run bench:pages`. Measures pages of a completed form and of the console against a floor in the same run. Only
 * the ratios are comparable between machines.
 */
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { DOCUMENTS } from '../dev/demo/company.ts'
import { createFilledKyb, createFormUrl, createKyb, uploadDocument } from '../dev/demo/filled-application.ts'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { middle } from './middle.ts'
import type { PageFloorOptions } from './page-floor.ts'
import { ask, startScript } from './process.ts'
import { fillQueue } from './queue.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '400' } } })
const REQUESTS = Number(values.requests)
const WARM_UP = 100

// One caller requests more pages than a person would.
process.env.RATE_LIMIT_ANONYMOUS = '1000000'
const { instance, stop } = await startTemporaryInstance()
const origin = new URL(instance.base_url).origin
const [floor] = await startScript('page-floor.ts')

/** Returns the address of a form that is ready to submit, and the cookie that opens it. */
async function filledForm(): Promise<{ url: string; cookie: string }> {
  const { id, password } = await createFilledKyb(instance, crypto.randomUUID())
  for (const document of DOCUMENTS) await uploadDocument(instance, id, document)
  const opened = await fetch(await createFormUrl(instance, id), {
    method: 'POST',
    body: new URLSearchParams({ password }),
    redirect: 'manual',
  })
  const cookie = opened.headers.getSetCookie().map((each) => each.split(';')[0])
  return { url: origin + opened.headers.get('Location'), cookie: cookie.join('; ') }
}

/** One caller over one connection. Returns each request's milliseconds, and the last page. */
async function visit(url: string, cookie = ''): Promise<{ latencies: number[]; page: string }> {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 })
  const latencies: number[] = []
  let page = ''
  for (let n = 0; n < WARM_UP + REQUESTS; n += 1) {
    const started = performance.now()
    const { statusCode, body } = await request(url, { headers: { cookie }, dispatcher })
    page = await body.text()
    if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}`)
    if (n >= WARM_UP) latencies.push(performance.now() - started)
  }
  await dispatcher.close()
  return { latencies, page }
}

const { url, cookie } = await filledForm()
const check = await visit(`${url}/check`, cookie)
const { port } = await ask<{ port: number }>(floor, {
  databaseUrl: instance.database_url,
  page: check.page,
} satisfies PageFloorOptions)
const bare = middle((await visit(`http://127.0.0.1:${port}/`)).latencies, 0.5)

const table = startTable('Pages', 'Page', 'Median ms', 'Floors', 'p95 ms', 'kB')
table.row('floor', bare.toFixed(1), '1.0', '', (check.page.length / 1024).toFixed(0))
const operator = await fillQueue(instance, async () => (await createKyb(instance, crypto.randomUUID())).id)
for (const [name, address, opens] of [
  ['form: overview', url, cookie],
  ['form: section', `${url}/nature_of_business`, cookie],
  ['form: check', `${url}/check`, cookie],
  ['queue of 10,000 cases', instance.console_url, operator],
  ['reports, cached', `${instance.console_url}/figures`, operator],
] as const) {
  const { latencies, page } = await visit(address, opens)
  const median = middle(latencies, 0.5)
  table.row(
    name,
    median.toFixed(1),
    (median / bare).toFixed(1),
    middle(latencies, 0.95).toFixed(1),
    (page.length / 1024).toFixed(0),
  )
}

table.end()
floor.kill()
await stop()
