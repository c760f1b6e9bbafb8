/** Tests docker-compose.yml without Docker, and runs its commands. */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../dev/launcher/ports.ts'
import { DYNAMIC_CONFIG } from '../../dev/launcher/temporal.ts'
import { SERVER_VERSION } from '../../dev/launcher/temporal-server.ts'
import { connectTemporal } from '../../src/temporal/client.ts'
import { serviceUrlOf } from '../support/database.ts'
import { eventually } from '../support/instance.ts'
import { composeFile, dockerfile, read, serviceOf, variables } from './compose-file.ts'
import { composeSchema } from './compose-schema.ts'
import { type Container, check, run, up } from './container.ts'
import { imageEnvironment, layOutImage } from './image.ts'

const file = composeFile()
const services = Object.entries(file.services)
const SECRET = /PASSWORD$|PWD|KEY|SECRET/
const PROCESSES = ['api', 'worker']

describe('docker-compose.yml', () => {
  it('has only keys and values that Compose supports', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    ajv.validate(composeSchema, file)
    expect(ajv.errors).toBeNull()
  })

  it('pins every image to a version', () => {
    const own = services.filter(([, { image }]) => image === 'gatehouse:local')
    expect(own.map(([name]) => name).sort()).toEqual(['api', 'migrate', 'setup-temporal', 'worker'])
    // The image is built by one service and never pulled from a registry.
    expect(own.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual(['migrate'])
    for (const [name, { pull_policy }] of own)
      expect(pull_policy).toBe(name === 'migrate' ? 'build' : 'never')

    const stages = dockerfile.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? [])
    const bases = dockerfile.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? [])
    const others = services.map(([, { image }]) => image).filter((image) => image !== 'gatehouse:local')
    for (const image of [...others, ...bases.filter((base) => !stages.includes(base))]) {
      expect(image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?$/)
    }
  })

  it("sets up the schema with the tools of the server's version", () => {
    const version = (name: string) => serviceOf(file, name).image.split(':')[1]
    expect(version('temporal-schema')).toBe(version('temporal'))
    expect(version('temporal-namespace')).toBe(version('temporal'))
    // `npm run topology` builds this version.
    expect(SERVER_VERSION).toBe(version('temporal'))
  })

  it('has no default for a secret', () => {
    // These settings are optional and empty by default.
    const optional = [
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'OIDC_CLIENT_SECRET',
      'VERIFICATION_PROVIDER_SECRET',
    ]
    const secrets = variables.filter(({ name }) => SECRET.test(name) && !optional.includes(name))
    expect(new Set(secrets.map(({ name }) => name))).toEqual(
      new Set([
        'POSTGRES_PASSWORD',
        'POSTGRES_SERVICE_PASSWORD',
        'POSTGRES_TEMPORAL_PASSWORD',
        'ENCRYPTION_KEYS',
        'HASH_KEY',
      ]),
    )
    for (const { name, rest } of secrets) expect(`${name}${rest}`).toMatch(/:\?.*\.env\.example/)
    for (const [, { environment }] of services) {
      for (const [name, value] of Object.entries(environment)) {
        if (optional.includes(name)) expect(value).toBe(`\${${name}:-}`)
        else if (SECRET.test(name) || name.endsWith('DATABASE_URL')) expect(value).toMatch(/\$\{\w+:\?/)
      }
    }
  })

  it('requires exactly the variables that .env.example lists without a value', () => {
    const required = variables.filter(({ rest }) => rest.startsWith(':?')).map(({ name }) => name)
    const listed = read('.env.example').match(/^\w+=.*$/gm)
    expect(new Set(listed)).toEqual(new Set(required.map((name) => `${name}=`)))
  })

  it('starts each service after its dependencies are healthy or completed', () => {
    for (const [, { depends_on = {} }] of services) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, restart } = serviceOf(file, name)
        expect(condition).toBe(healthcheck ? 'service_healthy' : 'service_completed_successfully')
        // A service that restarts whenever it ends never completes.
        expect(restart).toBe(healthcheck && 'unless-stopped')
      }
    }
    const first = (name: string): string[] =>
      Object.keys(serviceOf(file, name).depends_on ?? {}).flatMap((each) => [each, ...first(each)])
    expect(new Set(first('temporal'))).toEqual(new Set(['postgres', 'temporal-database', 'temporal-schema']))
    expect(first('setup-temporal')).toEqual(
      expect.arrayContaining(['temporal-namespace', 'temporal', 'migrate']),
    )
    for (const name of PROCESSES) {
      expect(first(name)).toEqual(
        expect.arrayContaining(['postgres', 'temporal', 'migrate', 'setup-temporal']),
      )
    }
  })

  it('restarts, checks and stops the processes in order, none of them as root', () => {
    for (const name of PROCESSES) {
      const service = serviceOf(file, name)
      expect(service).toMatchObject({ restart: 'unless-stopped', init: true })
      expect(service.healthcheck).toBeDefined()
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(15)
    }
    expect(dockerfile).toContain('USER node')
    expect(dockerfile.at(-1)).toBe(
      `CMD ${JSON.stringify(serviceOf(file, 'api').command).replaceAll(',', ', ')}`,
    )
  })

  it('is reachable only from this machine by default', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toHaveLength(2)
    for (const port of ports) expect(port).toMatch(/^\$\{\w+:-127\.0\.0\.1:\d+\}:\d+$/)
  })

  it('gives the Temporal server the settings of `npm start`', () => {
    const { configs = [], environment } = serviceOf(file, 'temporal')
    const { source = '', target } = configs[0] ?? {}
    expect(environment.DYNAMIC_CONFIG_FILE_PATH).toBe(target)
    const settings = Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [
      name,
      [{ value: JSON.parse(value) }],
    ])
    expect(parse(file.configs[source]?.content ?? '')).toEqual(Object.fromEntries(settings))
  })

  it('uses only variables that docs/settings.md explains', () => {
    const settings = [...read('src/process/config.ts').matchAll(/^ {2}([A-Z_]+):/gm)].map(
      ([, name = '']) => name,
    )
    expect(settings).toContain('ENCRYPTION_KEYS')
    const explained = [...read('docs/settings.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    const known = [...settings, ...variables.map(({ name }) => name)]
    expect(known.filter((name) => !explained.includes(name))).toEqual([])
  })
})

describe('the containers', () => {
  const name = `compose_${randomBytes(6).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'))
  const running = new Set<ChildProcess>()
  const secrets = {
    POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    POSTGRES_SERVICE_PASSWORD: randomBytes(24).toString('hex'),
    POSTGRES_TEMPORAL_PASSWORD: randomBytes(24).toString('hex'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    HASH_KEY: randomBytes(32).toString('base64'),
  }
  const filled = composeFile({ ...secrets, PUBLIC_URL: 'https://onboarding.gatehouse.internal' })
  const ownerUrl = new URL(inject('postgresUrl'))
  ownerUrl.pathname = `/${name}`

  /** Returns the container with addresses that are valid outside Docker. */
  function container(service: string, outside: Record<string, string> = {}): Container {
    const { command = [], environment, healthcheck } = serviceOf(filled, service)
    const replaced: Record<string, string> = {
      DATABASE_URL: serviceUrlOf(name),
      ...(service === 'migrate' && { MIGRATION_DATABASE_URL: ownerUrl.href }),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: name,
      BLOB_URL: pathToFileURL(join(folder, 'files')).href,
      ...outside,
    }
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(Object.keys(replaced)))
    return {
      command,
      healthcheck: healthcheck?.test.slice(1) ?? [],
      cwd: join(folder, 'app'),
      env: { ...imageEnvironment, ...environment, ...replaced },
    }
  }

  async function asAdmin(query: string): Promise<void> {
    const client = postgres(inject('postgresUrl'), { max: 1 })
    await client.unsafe(query).finally(() => client.end())
  }

  beforeAll(async () => {
    mkdirSync(join(folder, 'app'))
    layOutImage(join(folder, 'app'))
    await asAdmin(`CREATE DATABASE ${name}`)
    const { connection } = connectTemporal({ address: inject('temporalAddress'), namespace: name })
    await connection.workflowService.registerNamespace({
      namespace: name,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    })
    await eventually(() => connection.workflowService.listOpenWorkflowExecutions({ namespace: name }))
    await connection.close()
  })

  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    const temporal = connectTemporal({ address: inject('temporalAddress'), namespace: name })
    // The namespace remains, but its Schedule would start a workflow every 20 s.
    await temporal.schedule.getHandle('gatehouse-housekeeping').delete()
    await temporal.connection.close()
    await asAdmin(`DROP DATABASE ${name} WITH (FORCE)`)
    rmSync(folder, { recursive: true, force: true })
  })

  it('connect to PostgreSQL and Temporal with the service role, in production mode', () => {
    for (const [, { environment, image }] of Object.entries(filled.services)) {
      if (image !== 'gatehouse:local') continue
      const url = new URL(environment.DATABASE_URL ?? '')
      const database = serviceOf(filled, 'postgres').environment
      expect(url.host).toBe('postgres:5432')
      expect([url.username, url.password]).toEqual(['gatehouse_service', secrets.POSTGRES_SERVICE_PASSWORD])
      expect(url.pathname).toBe(`/${database.POSTGRES_DB}`)
      expect(environment.TEMPORAL_ADDRESS).toBe('temporal:7233')
      expect(environment.TEMPORAL_NAMESPACE).toBe(
        serviceOf(filled, 'temporal-namespace').environment.NAMESPACE,
      )
      expect(environment.ENVIRONMENT).toBe('production')
    }
  })

  it('receive the owner’s password only in PostgreSQL and in the services that create databases or tables', () => {
    const given = Object.entries(filled.services).filter(([, service]) =>
      JSON.stringify(service).includes(secrets.POSTGRES_PASSWORD),
    )
    expect(given.map(([each]) => each)).toEqual(['postgres', 'temporal-database', 'migrate'])
  })

  it.each(['migrate', 'setup-temporal'])('can run twice for the service %s', async (service) => {
    expect(await run(container(service))).toMatchObject({ code: 0 })
    expect(await run(container(service))).toMatchObject({ code: 0 })
  })

  it.each([
    ['api', 'PORT'],
    ['worker', 'HEALTH_PORT'],
  ])('become healthy, and stop at SIGTERM: %s', async (service, port) => {
    const own = { [port]: String(await freePort()), METRICS_PORT: String(await freePort()) }
    const it = container(service, { ...own, HOST: '127.0.0.1', METRICS_HOST: '127.0.0.1' })
    expect(await check(it)).toBe(false)
    const { stop } = await up(it, running)
    const { code, signal, output } = await stop()
    expect({ code, signal }, output).toEqual({ code: 0, signal: null })
  })

  it.each(['migrate', 'api', 'worker'])(
    'fail and name the setting if ENCRYPTION_KEYS is missing: %s',
    async (service) => {
      const it = container(service)
      delete it.env.ENCRYPTION_KEYS
      const { code, output } = await run(it)
      expect(code).toBe(1)
      expect(output).toContain('The environment variables are invalid:\n  ENCRYPTION_KEYS: ')
    },
  )

  it('cannot be created by Compose without ENCRYPTION_KEYS', () => {
    expect(() => composeFile({ ...secrets, ENCRYPTION_KEYS: '', PUBLIC_URL: 'https://x.example' })).toThrow(
      'ENCRYPTION_KEYS is missing, see .env.example',
    )
  })
})
