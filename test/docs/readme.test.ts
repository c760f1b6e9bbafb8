/** Runs the commands of "First API call" in README.md. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { describeUnless, missingProgram } from '../support/available.ts'
import { writeInstance } from '../support/checkout.ts'
import { sharedInstance } from '../support/instance.ts'

const PAGE = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const missing = missingProgram('curl', 'curl', '--version') ?? missingProgram('bash', 'bash', '--version')

describeUnless(missing, 'README.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-readme-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('leads from the creation of an application to the end of its review', async () => {
    const { baseUrl, credentials } = await sharedInstance({ worker: true })
    writeInstance(folder, { base_url: `${baseUrl}/v1`, api_key: credentials.api_key })
    const [, section = ''] = PAGE.split('\n## First API call\n')
    const [, script = ''] = /^```sh\n(.*?)^```$/ms.exec(section) ?? []
    const { stdout } = await execa('bash', ['-c', `set -eu\n${script}`], { cwd: folder })
    const [patched, fetched, reviewed] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(patched.requirements.currently_due).toContain('nature_of_business.phone')
    expect(fetched.data).toMatchObject({
      nature_of_business: { legal_company_name: 'Example GmbH', country_of_incorporation: 'DE' },
      status: { processed: false },
    })
    expect(reviewed.data).toMatchObject({ id: fetched.data.id, status: { processed: true } })
  })
})
