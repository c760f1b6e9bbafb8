/**
 * Tests that restarts of the APIs behind the shipped nginx configuration fail no request. `npm run chaos` restarts them
 * 200 times.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { read } from '../docker/compose-file.ts'
import { describeUnless, missingProgram } from '../support/available.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { scriptArgs } from '../support/processes.ts'
import { type Answer, createClient, failed, slowest, startLoad } from '../topology/load.ts'

const IS_FULL = process.env.CHAOS === 'full'
const RESTARTS = IS_FULL ? 200 : 6
const WRITERS = 6
const PAUSE_MS = 0

const HOLDER = fileURLToPath(new URL('../support/held-socket.mjs', import.meta.url))

describeUnless(missingProgram('nginx', 'nginx', '-v'), 'APIs behind nginx', () => {
  let gatehouse: OwnInstance
  let apis: Awaited<ReturnType<typeof startApi>>[] = []
  let proxy: Awaited<ReturnType<typeof startNginx>>
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-restarts-'))

  beforeAll(async () => {
    gatehouse = await startInstance()
    await gatehouse.spawnWorker()
    apis = await Promise.all(['first', 'second'].map((name) => startApi(join(folder, name), gatehouse.env)))
    proxy = await startNginx(
      folder,
      apis.map(({ port }) => port),
    )
  })
  afterAll(async () => {
    await proxy?.stop()
    for (const api of apis) await api.stop()
    await gatehouse?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    `respond to every request during ${RESTARTS} restarts`,
    async () => {
      const client = createClient(proxy.url, gatehouse.credentials.api_key)
      const load = await startLoad(client, WRITERS, PAUSE_MS)
      for (let n = 0; n < RESTARTS; n += 1) await apis[n % apis.length]?.restart()
      const { answers } = await load.stop()
      await client.close()
      console.log(
        `${RESTARTS} restarts, ${answers.length} requests, the slowest ${slowest(answers).toFixed(0)} ms`,
      )
      // The short form shares the machine, so a command may exceed its deadline. nginx sends no JSON.
      const isLate = ({ status, body }: Answer) => !IS_FULL && status === 503 && body !== null
      expect(failed(answers.filter((each) => !isLate(each)))).toEqual([])
    },
    IS_FULL ? RESTARTS * 15_000 : undefined,
  )
})

/** Starts an API whose port stays open while it restarts, as with gatehouse-api@.socket. */
async function startApi(pidFile: string, env: NodeJS.ProcessEnv) {
  const port = await freePort()
  writeFileSync(pidFile, '')
  const [script = ''] = scriptArgs('src/server.ts')
  const holder = spawn(process.execPath, [HOLDER, String(port), pidFile, script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const pid = () => Number(readFileSync(pidFile, 'utf8'))
  const ready = (previous: number) =>
    eventually(async () => {
      expect(pid()).not.toBe(previous)
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    })
  await ready(0)
  return {
    port,
    async restart() {
      const previous = pid()
      process.kill(previous, 'SIGTERM')
      await ready(previous)
    },
    async stop() {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      process.kill(pid(), 'SIGKILL')
    },
  }
}

/** Starts nginx with deploy/nginx.conf, except for TLS and the ports. */
async function startNginx(folder: string, ports: readonly number[]) {
  const port = await freePort()
  let http = read('deploy/nginx.conf')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replaceAll('/var/log/nginx/gatehouse-error.log crit', `${join(folder, 'error.log')} crit`)
  for (const [index, own] of ports.entries())
    http = http.replace(`127.0.0.1:${3000 + index}`, `127.0.0.1:${own}`)
  for (const name of ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'])
    http = `${name}_temp_path ${join(folder, name)};\n${http}`
  const main = join(folder, 'nginx.conf')
  writeFileSync(main, `pid ${join(folder, 'pid')}; events {} http { ${http} }`)
  const options = ['-e', join(folder, 'error.log'), '-p', folder, '-c', main, '-g', 'daemon off;']
  const nginx = spawn('nginx', options, { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  await eventually(() => fetch(url))
  return {
    url,
    async stop() {
      nginx.kill('SIGTERM')
      await once(nginx, 'exit')
    },
  }
}
