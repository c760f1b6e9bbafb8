/** Starts the services of docker-compose.yml as processes with other hosts, ports and folders. */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../dev/launcher/ports.ts'
import { type Postgres, startPostgres } from '../../dev/launcher/postgres.ts'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { newSeedCredentials, seed } from '../../dev/launcher/seed.ts'
import { readConfig } from '../../src/process/config.ts'
import { composeFile, serviceOf, variables } from '../docker/compose-file.ts'
import { type Container, run, up } from '../docker/container.ts'
import { imageEnvironment, layOutImage } from '../docker/image.ts'
import { startVersitygw } from '../support/versitygw.ts'
import { startBalancer } from './balancer.ts'

export type Topology = Awaited<ReturnType<typeof startTopology>>

/** The variables for the ports of the Temporal server other than 7233. */
const SERVER_PORTS = ['FRONTEND', 'MATCHING', 'HISTORY', 'WORKER'].flatMap((name) => [
  ...(name === 'FRONTEND' ? ['FRONTEND_HTTP_PORT'] : [`${name}_GRPC_PORT`]),
  `${name}_MEMBERSHIP_PORT`,
])
/** The number of processes for each duplicated service. */
const COPIES = 2

interface Programs {
  readonly temporalCli: string
  /** The folder of the Temporal server and its schema tool. */
  readonly temporalServer: string
}

export async function startTopology({ temporalCli, temporalServer }: Programs) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-topology-'))
  const [databasePort, temporalPort, metricsPort] = await Promise.all([freePort(), serverPort(), freePort()])
  const serverPorts = await Promise.all(SERVER_PORTS.map(async (name) => [name, String(await serverPort())]))
  const balancer = await startBalancer()
  const bucket = await startVersitygw(join(folder, 'buckets'))

  const required = variables.filter(({ rest }) => rest.startsWith(':?')).map(({ name }) => name)
  // The values of .env. Receivers on this machine have private addresses, which production refuses.
  const file = composeFile({
    ...Object.fromEntries(required.map((name) => [name, randomBytes(24).toString('hex')])),
    ...newKeys(),
    ...bucket.env('topology'),
    ENVIRONMENT: 'sandbox',
    PUBLIC_URL: balancer.url,
    TRUST_PROXY: '1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_WRITES: '100000',
    RATE_LIMIT_ANONYMOUS: '100000',
    LOG_LEVEL: 'warn',
  })

  mkdirSync(join(folder, 'app'))
  layOutImage(join(folder, 'app'))
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  symlinkSync(temporalCli, join(programs, 'temporal'))
  for (const name of ['temporal-server', 'temporal-sql-tool'])
    symlinkSync(join(temporalServer, name), join(programs, name))
  // Some machines do not have the image's program.
  writeFileSync(join(programs, 'nc'), NC, { mode: 0o755 })

  const settings = (source: string) => {
    const at = join(folder, source)
    writeFileSync(at, file.configs[source]?.content ?? '')
    return at
  }

  /** Returns the container with addresses that are valid outside Docker. */
  function containerOf(service: string, outside: Record<string, string> = {}): Container {
    const { command, environment, healthcheck, configs = [] } = serviceOf(file, service)
    const elsewhere: Record<string, string> = {
      postgres: '127.0.0.1',
      '5432': String(databasePort),
      '0.0.0.0': '127.0.0.1',
      '7233': String(temporalPort),
      ...Object.fromEntries(configs.map(({ source, target }) => [target, settings(source)])),
    }
    const place = (text: string) =>
      elsewhere[text] ??
      text
        .replace('@postgres:5432/', `@127.0.0.1:${databasePort}/`)
        .replace('temporal:7233', `127.0.0.1:${temporalPort}`)
    const own = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, place(value)]))
    return {
      // The image's default command.
      command: command ?? ['temporal-server', 'start'],
      healthcheck: healthcheck?.test.slice(1).map(place) ?? [],
      cwd: join(folder, 'app'),
      env: {
        PATH: `${programs}:${process.env.PATH}`,
        HOME: folder,
        PGPORT: String(databasePort),
        ...(serviceOf(file, service).image === 'gatehouse:local' && imageEnvironment),
        ...own,
        ...outside,
      },
    }
  }

  const serverEnvironment = {
    ...Object.fromEntries(serverPorts),
    FRONTEND_GRPC_PORT: String(temporalPort),
    PROMETHEUS_ENDPOINT: `127.0.0.1:${metricsPort}`,
  }
  const children = new Set<ChildProcess>()
  const containers = new Map<string, Container>()
  const running = new Map<string, Awaited<ReturnType<typeof up>>>()

  let database: Postgres
  async function startDatabase(): Promise<void> {
    const { command = [], environment } = serviceOf(file, 'postgres')
    const given = command.filter((_, i) => command[i - 1] === '-c').map((each) => each.split('='))
    writeFileSync(join(folder, 'postgres.password'), environment.POSTGRES_PASSWORD ?? '', { mode: 0o600 })
    database = await startPostgres({
      dataDir: folder,
      port: databasePort,
      settings: Object.fromEntries(given),
    })
  }

  async function start(name: string): Promise<void> {
    if (name === 'postgres') return startDatabase()
    if (name === 'bucket') return bucket.restart()
    const container = containers.get(name)
    if (!container) throw new Error(`there is no ${name}`)
    running.set(name, await up(container, children))
  }

  /** Stops a service as `docker stop` does. */
  async function stop(name: string): Promise<number> {
    const stopped = await running.get(name)?.stop()
    running.delete(name)
    if (stopped?.code !== 0) throw new Error(`${name} ended with ${stopped?.code}:\n${stopped?.output}`)
    return stopped.afterMs
  }

  function signal(name: string, sent: NodeJS.Signals): void {
    if (name === 'postgres') process.kill(database.pid, sent)
    else running.get(name)?.child.kill(sent)
  }

  async function kill(name: string): Promise<void> {
    if (name === 'bucket') return bucket.kill()
    signal(name, 'SIGKILL')
    await (name === 'postgres' ? database.exited : running.get(name)?.ended)
  }

  async function bringUp(service: string): Promise<void> {
    const { restart, image } = serviceOf(file, service)
    if (service === 'postgres') return start(service)
    if (service === 'temporal') {
      containers.set(service, containerOf(service, serverEnvironment))
      return start(service)
    }
    if (!restart) {
      const { code, output } = await run(containerOf(service))
      if (code !== 0) throw new Error(`${service} ended with ${code}:\n${output}`)
      if (service === 'migrate') await seed(readConfig(containerOf('api').env), credentials)
      return
    }
    if (image !== 'gatehouse:local') return
    for (let n = 1; n <= COPIES; n += 1) {
      const port = await freePort()
      const name = `${service}-${n}`
      const own = containerOf(service)
      const ports = Object.keys(own.env).filter((each) => each === 'PORT' || each === 'HEALTH_PORT')
      const url = `${own.env.DATABASE_URL}?application_name=${name}`
      const env = {
        ...Object.fromEntries(ports.map((each) => [each, String(port)])),
        METRICS_PORT: String(await freePort()),
      }
      containers.set(name, containerOf(service, { ...env, DATABASE_URL: url }))
      await start(name)
      if (service === 'api') balancer.add(port)
    }
  }

  const credentials = newSeedCredentials('sandbox')

  async function stopAll(): Promise<void> {
    for (const child of children) child.kill('SIGKILL')
    await balancer.stop()
    await bucket.stop()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    const pending = new Map(Object.entries(file.services))
    while (pending.size > 0) {
      for (const [service, { depends_on = {} }] of pending) {
        if (Object.keys(depends_on).some((each) => pending.has(each))) continue
        await bringUp(service)
        pending.delete(service)
      }
    }
  } catch (error) {
    await stopAll()
    throw error
  }

  return {
    url: balancer.url,
    credentials,
    balancer,
    /** The folder in which the bucket stores the files. */
    bucketFolder: bucket.folder,
    databaseUrl: `postgresql://gatehouse:${file.services.postgres?.environment.POSTGRES_PASSWORD}@127.0.0.1:${databasePort}/gatehouse`,
    /** Returns the names of a service's processes. */
    names: (service: string) => [...containers.keys()].filter((name) => name.startsWith(service)),
    start,
    stop,
    kill,
    signal,
    /** Returns the sum of a counter of the Temporal server over the lines with these labels. */
    async counted(counter: string, ...labels: string[]): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return text
        .split('\n')
        .filter((line) => line.startsWith(counter) && labels.every((label) => line.includes(label)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    },
    stopAll,
  }
}

/** Temporal stores ports in 15-bit columns. */
async function serverPort(): Promise<number> {
  const port = await freePort(20_000 + Math.floor(Math.random() * 12_000))
  return port < 2 ** 15 ? port : serverPort()
}

/** Replaces `nc` for the port check of the health check. */
const NC = `#!/usr/bin/env node
const [, host, port] = process.argv.slice(2)
require('node:net').connect(Number(port), host).on('connect', () => process.exit(0)).on('error', () => process.exit(1))
`
