/** Tests the API reference with linters and with generated clients that make real calls. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { describeUnless } from '../support/available.ts'
import { startInstance, unique } from '../support/instance.ts'
import { installNpmPackages } from '../support/npm-tool.ts'
import { installPythonPackage } from '../support/python-package.ts'

const run = promisify(execFile)
const tools = await installNpmPackages(
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  '@hey-api/openapi-ts@0.92.2',
  'typescript@5.9.3',
)
const python = await installPythonPackage('openapi-python-client', '0.29.1')

// The linters refuse localhost as a server address.
const gatehouse = await startInstance({ env: { PUBLIC_URL: 'https://onboarding.gatehouse.internal' } })
afterAll(gatehouse.stop)
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clients-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const base = { client: `${gatehouse.baseUrl}/v1`, operator: `${gatehouse.baseUrl}/operator/v1` } as const
for (const [audience, url] of Object.entries(base)) {
  const document = await (await fetch(`${url}/openapi.json`)).text()
  writeFileSync(join(folder, `${audience}.json`), document)
}
writeFileSync(join(folder, 'spectral.json'), '{"extends": ["spectral:oas"]}')
// The specification defines both /kyb/{id}/... and /kyb/validate/{id}.
writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\nrules:\n  no-ambiguous-paths: off\n')

describeUnless(tools.missing, 'Spectral and Redocly', () => {
  test.each(['client', 'operator'])('find no problem in the document of the %s API', async (audience) => {
    const file = `${audience}.json`
    const spectral = ['lint', '--fail-severity', 'hint', '--ruleset', 'spectral.json', file]
    const found = await run(tools.bin('spectral'), spectral, { cwd: folder })
    expect(found.stdout).toContain('No results')
    const redocly = ['lint', '--config', 'redocly.yaml', '--format', 'json', file]
    const { stdout } = await run(tools.bin('redocly'), redocly, {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    expect(JSON.parse(stdout).totals).toMatchObject({ errors: 0, warnings: 0 })
  })
})

describeUnless(tools.missing, 'a client that openapi-ts generates', () => {
  test('creates and reads an application', async () => {
    const output = join(folder, 'typescript')
    const options = ['-i', 'client.json', '-o', output, '-c', '@hey-api/client-fetch', '--no-log-file']
    await run(tools.bin('openapi-ts'), options, { cwd: folder })
    // Node.js does not find the client's imports, which have no extension, in ES modules.
    const compiled = join(folder, 'javascript')
    const compiling = ['--module', 'commonjs', '--target', 'es2022', '--noCheck', '--outDir', compiled]
    await run(tools.bin('tsc'), [...compiling, join(output, 'index.ts')], { cwd: folder })
    const { createKybApplication, getKybApplication } = await import(join(compiled, 'sdk.gen.js'))
    const { createClient } = await import(join(compiled, 'client', 'index.js'))
    const headers = { Authorization: gatehouse.credentials.api_key }
    const client = createClient({ baseUrl: base.client, headers })
    const external_id = unique()
    const created = await createKybApplication({ client, body: { external_id } })
    const read = await getKybApplication({ client, path: { id: created.data.data.id } })
    expect(read.data.data).toMatchObject({ external_id, status: { processed: false } })
    const refused = await createKybApplication({ client, body: { external_id } })
    expect(refused.error.errors[0].code).toBe('external_id_taken')
  })
})

const PYTHON_CALLS = `
import json, os, sys
sys.path.insert(0, os.environ["CLIENT"])
from gatehouse import AuthenticatedClient
from gatehouse.api.kyb import create_kyb_application, get_kyb_application
from gatehouse.models import CreateKybApplicationRequest

client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["KEY"])
body = CreateKybApplicationRequest(external_id=os.environ["EXTERNAL_ID"])
created = create_kyb_application.sync(client=client, body=body)
read = get_kyb_application.sync(client=client, id=created.data.id)
refused = create_kyb_application.sync(client=client, body=body)
print(json.dumps([read.data.external_id, refused.errors[0].code]))
`

describeUnless(python.missing, 'a client that openapi-python-client generates', () => {
  test('creates and reads an application', async () => {
    const output = join(folder, 'python')
    writeFileSync(join(folder, 'config.json'), '{"package_name_override": "gatehouse", "post_hooks": []}')
    const options = ['--path', 'client.json', '--output-path', output, '--config', 'config.json']
    await run(python.bin('openapi-python-client'), ['generate', ...options], { cwd: folder })
    const external_id = unique()
    const env = {
      ...process.env,
      CLIENT: output,
      BASE: base.client,
      KEY: gatehouse.credentials.api_key,
      EXTERNAL_ID: external_id,
    }
    const { stdout } = await run(python.bin('python3'), ['-c', PYTHON_CALLS], { env })
    expect(JSON.parse(stdout)).toEqual([external_id, 'external_id_taken'])
  })
})
