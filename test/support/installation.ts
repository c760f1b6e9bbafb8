/** Installs Gatehouse on a machine, with the commands of docs/production.md. */
import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { findTemporalCli } from '../../dev/launcher/temporal.ts'
import { findTemporalServer } from '../../dev/launcher/temporal-server.ts'
import { blocksIn, filled } from './guide.ts'
import type { Machine } from './machine.ts'
import { BUCKET, CREDENTIALS, findVersitygw } from './versitygw.ts'

const GUIDE = 'production.md'
const say = (line: string) => console.log(line)
const key = () => randomBytes(32).toString('base64')

/** Generates what an administrator chooses, as values of the placeholders in the guide. */
export const newSettings = () => ({
  owner: randomBytes(24).toString('hex'),
  service: randomBytes(24).toString('hex'),
  temporal: randomBytes(24).toString('hex'),
  'your host name': 'onboarding.gatehouse.internal',
  'this repository': '/nowhere',
  version: 'v0.0.0',
})
export type Settings = ReturnType<typeof newSettings>

/** Generates a settings file as the guide shows it, with other lines at the end. */
export function newEnvironment(settings: Settings, more: Readonly<Record<string, string>> = {}): string {
  const block = blocksIn(GUIDE, 'Start Gatehouse').find(({ code }) => code.includes('ENCRYPTION_KEYS'))
  const lines = (block?.code ?? '').replaceAll('<openssl rand -base64 32>', key)
  const kept = filled(lines, settings)
    .trim()
    .split('\n')
    .filter((line) => !(line.replace(/=.*/, '') in more))
  return [...kept, ...Object.entries(more).map(([name, value]) => `${name}='${value}'`), ''].join('\n')
}

/** Copies the built programs, for which the guide uses git, npm and Go. */
async function copyPrograms(machine: Machine): Promise<void> {
  const to = machine.path('/opt/gatehouse')
  cpSync(inject('compiled'), join(to, 'dist'), { recursive: true })
  cpSync(inject('workflowBundle'), join(to, 'dist/workflow-bundle.js'))
  for (const name of ['package.json', 'deploy']) cpSync(name, join(to, name), { recursive: true })
  const server = await findTemporalServer(say)
  for (const name of ['temporal-server', 'temporal-sql-tool'])
    cpSync(join(server, name), machine.path(`/usr/local/bin/${name}`))
  cpSync(await findTemporalCli(say), machine.path('/usr/local/bin/temporal'))
}

const BUCKET_PORT = 7_070
const certificate = '/etc/bucket'

/** The settings with which Gatehouse stores its files in the machine's bucket. */
export const BUCKET_SETTINGS = {
  ...CREDENTIALS,
  BLOB_URL: `s3://${BUCKET}/files?endpoint=http://127.0.0.1:${BUCKET_PORT}&path_style=true`,
}
/** The address of the same bucket with TLS, which pgBackRest requires. */
export const BUCKET_TLS_PORT = BUCKET_PORT + 1

/** Starts the S3 server of a machine. Its objects are files in `/srv/bucket`. */
export async function startBucket(machine: Machine): Promise<void> {
  await machine.write('/usr/local/bin/versitygw', readFileSync(await findVersitygw()), '755')
  const serve = (options: string) => `[Service]
Environment=ROOT_ACCESS_KEY=${CREDENTIALS.AWS_ACCESS_KEY_ID} ROOT_SECRET_KEY=${CREDENTIALS.AWS_SECRET_ACCESS_KEY}
ExecStart=/usr/local/bin/versitygw ${options} --quiet posix /srv/bucket`
  await machine.write('/etc/systemd/system/bucket.service', serve(`--port 127.0.0.1:${BUCKET_PORT}`))
  const tls = `--port 127.0.0.1:${BUCKET_TLS_PORT} --cert ${certificate}.crt --key ${certificate}.key`
  await machine.write('/etc/systemd/system/bucket-tls.service', serve(tls))
  await machine.run(`mkdir -p /srv/bucket/${BUCKET}
    openssl req -quiet -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bucket \
      -keyout ${certificate}.key -out ${certificate}.crt
    systemctl daemon-reload && systemctl start bucket bucket-tls
    for each in http://127.0.0.1:${BUCKET_PORT} https://127.0.0.1:${BUCKET_TLS_PORT}; do
      curl -sk --retry 20 --retry-connrefused --retry-delay 1 $each > /dev/null
    done`)
}

/** Follows the guide up to step 3 of "Start Gatehouse". `environment` is the content of `gatehouse.env`. */
export async function prepare(machine: Machine, settings: Settings, environment: string): Promise<void> {
  const paste = async (code: string) => machine.run(filled(code, settings))
  for (const { code } of blocksIn(GUIDE, 'Install the program'))
    await paste(code.replaceAll(/^(git clone|cd \/opt\/gatehouse && npm) .*$/gm, ''))
  await copyPrograms(machine)
  for (const { code } of blocksIn(GUIDE, 'Create the databases')) {
    await machine.run('cd / && sudo -u postgres psql -v ON_ERROR_STOP=1', filled(code, settings))
    await machine.run('systemctl restart postgresql')
  }
  const blocks = [...blocksIn(GUIDE, 'Install the Temporal server'), ...blocksIn(GUIDE, 'Start Gatehouse')]
  for (const { before, code } of blocks) {
    const file = /Create `(\S+)`, with mode 600/.exec(before)?.[1]
    if (code.includes('go build')) continue
    if (code.includes('owner migrate')) break
    if (file?.endsWith('gatehouse.env')) await machine.write(file, environment, '600')
    else if (file) await machine.write(file, filled(code, settings), '600')
    else if (before.includes('.bashrc')) await machine.run('cat >> /root/.bashrc', code)
    else await paste(code)
  }
}

/** Follows the guide completely. */
export async function install(machine: Machine, settings: Settings, environment: string): Promise<void> {
  await prepare(machine, settings, environment)
  const start = blocksIn(GUIDE, 'Start Gatehouse').find(({ code }) => code.includes('owner migrate'))
  await machine.run(start?.code ?? 'false')
}
