/** Runs docs/integrate.md from its first command to its last, as a developer does. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { buildPackages } from '../../dev/packages/build.ts'
import { describeUnless, missingProgram } from '../support/available.ts'
import { writeInstance } from '../support/checkout.ts'
import { eventually, type Instance, sharedInstance, unique } from '../support/instance.ts'

const PAGE = readFileSync(new URL('../../docs/integrate.md', import.meta.url), 'utf8')
const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)

const missing = missingProgram('curl', 'curl', '--version') ?? missingProgram('bash', 'bash', '--version')

describeUnless(missing, 'docs/integrate.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-integrate-'))
  /** Contains the files of a checkout that the page uses after `npm start` and `npm run packages`. */
  const checkout = join(folder, 'gatehouse')
  const program = join(folder, 'my-platform')
  let gatehouse: Instance
  beforeAll(async () => {
    gatehouse = await sharedInstance({ worker: true })
    await buildPackages(join(checkout, 'dist/packages'))
    const { api_key } = gatehouse.credentials
    mkdirSync(program)
    writeInstance(checkout, { base_url: `${gatehouse.baseUrl}/v1`, api_key })
    writeFileSync(join(program, 'package.json'), '{"private": true}')
    const specimen = fileURLToPath(new URL('../../dev/demo/specimen.pdf', import.meta.url))
    copyFileSync(specimen, join(program, 'document.pdf'))
    const [receiver = ''] = blocksOf('js')
    writeFileSync(join(program, 'receiver.mjs'), receiver)
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
  })

  test('leads from an empty application to an approved company', async () => {
    const readEvents = () => readFileSync(join(program, 'events.txt'), 'utf8').trim().split('\n')
    // The receiver starts in the background and runs until the test stops it.
    const script = ['set -eu', "trap 'kill $(jobs -p)' EXIT", ...blocksOf('sh'), 'read -r _'].join('\n')
    const run = execa('bash', ['-c', script], {
      cwd: checkout,
      all: true,
      reject: false,
      env: {
        npm_config_offline: 'true',
        npm_config_audit: 'false',
        PORT: String(await freePort()),
        COMPANY: unique(),
      },
    })
    let output = ''
    run.all.on('data', (chunk) => (output += chunk))
    const expected = [
      'identification_created initiated',
      'account_created active',
      'kyb_completed completed',
      'kyb_revision_requested revision_requested',
      'kyb_resubmitted resubmitted',
      'kyb_processed processed',
      'identification_approved approved',
      'identification_blocked blocked',
      'account_locked locked',
      'identification_unblocked approved',
      'account_unlocked active',
    ]
    await eventually(() => {
      if (run.exitCode !== null) throw new Error(output)
      expect(readEvents()).toEqual(expect.arrayContaining(expected))
    })
    run.stdin.end('\n')
    expect(await run).toMatchObject({ exitCode: 0 })
    expect(output).toContain('nature_of_business.legal_company_name')
    expect(output).toContain('nature_of_business.company_registration_id: The register has another number.')
    expect(output).toContain('"count":0')
  })
})
