/**
 * Command: `npm run bench:pages`. Compares pages of a completed form and of the console with a floor in the same run.
 * Only the ratios are comparable between machines.
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
import { repeat } from './repeat.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '400' } } })
const REQUESTS = Number(values.requests)
const WARM_UP = 100

// The benchmark requests more pages than the default limit allows.
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

/**
 * Requests a page repeatedly over one connection. Returns the milliseconds of each request after the warm-up, and the
 * last page.
 */
async function visit(
  url: string,
  cookie = '',
  warmUp = 0,
): Promise<{ cold: number; latencies: number[]; page: string }> {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 })
  const latencies: number[] = []
  let page = ''
  let cold = 0
  for (let n = 0; n < warmUp + REQUESTS; n += 1) {
    const started = performance.now()
    const { statusCode, body } = await request(url, { headers: { cookie }, dispatcher })
    page = await body.text()
    if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}`)
    if (n === 0) cold = performance.now() - started
    if (n >= warmUp) latencies.push(performance.now() - started)
  }
  await dispatcher.close()
  return { cold, latencies, page }
}

const { url, cookie } = await filledForm()
const check = await visit(`${url}/check`, cookie, WARM_UP)
const { port } = await ask<{ port: number }>(floor, {
  databaseUrl: instance.database_url,
  page: check.page,
} satisfies PageFloorOptions)
const bareUrl = `http://127.0.0.1:${port}/`
await visit(bareUrl, '', WARM_UP)

const table = startTable('Pages', 'Page', 'Cold ms', 'Median ms', 'Spread', 'Floors', 'p95 ms', 'kB')
const operator = await fillQueue(instance, async () => (await createKyb(instance, crypto.randomUUID())).id)
for (const [name, address, opens] of [
  ['form: overview', url, cookie],
  ['form: section', `${url}/nature_of_business`, cookie],
  ['form: check', `${url}/check`, cookie],
  ['queue of 10,000 cases', instance.console_url, operator],
  ['reports, cached', `${instance.console_url}/figures`, operator],
] as const) {
  const { cold } = await visit(address, opens, WARM_UP)
  const { runs, spread, median } = await repeat(
    async () => {
      const bare = middle((await visit(bareUrl)).latencies, 0.5)
      const { latencies, page } = await visit(address, opens)
      return { bare, latencies, page, ms: middle(latencies, 0.5) }
    },
    ({ ms, bare }) => ms / bare,
  )
  table.row(
    name,
    cold.toFixed(1),
    median(({ ms }) => ms).toFixed(1),
    spread,
    median(({ ms, bare }) => ms / bare).toFixed(1),
    middle(
      runs.flatMap(({ latencies }) => latencies),
      0.95,
    ).toFixed(1),
    ((runs[0]?.page.length ?? 0) / 1024).toFixed(0),
  )
}

table.end()
floor.kill()
await stop()
