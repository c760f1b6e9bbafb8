/** Runs the commands of "First decision" in docs/operator-api.md, with the helpers of docs/integrate.md. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { describeUnless, missingProgram } from '../support/available.ts'
import { writeInstance } from '../support/checkout.ts'
import { eventually, sharedInstance } from '../support/instance.ts'

const firstScriptOf = (page: string) =>
  /^```sh\n(.*?)^```$/ms.exec(readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'))?.[1] ?? ''
const missing = missingProgram('curl', 'curl', '--version') ?? missingProgram('bash', 'bash', '--version')

describeUnless(missing, 'docs/operator-api.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-operator-api-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('leads from the sign-in of an operator to the approval of a person', async () => {
    const { baseUrl, credentials } = await sharedInstance({ worker: true })
    const bases = { base_url: `${baseUrl}/v1`, operator_base_url: `${baseUrl}/operator/v1` }
    const checkout = join(folder, 'checkout')
    writeInstance(checkout, { ...bases, ...credentials })
    const script = ['set -eu', firstScriptOf('integrate.md'), firstScriptOf('operator-api.md')].join('\n')
    // The decision is refused until the person has been screened.
    await eventually(async () => {
      const { stdout } = await execa('bash', ['-c', script], { cwd: checkout })
      const [queue = '', decided = ''] = stdout.trim().split('\n')
      expect(JSON.parse(queue).pagination.current_page).toBe(1)
      expect(JSON.parse(decided).data).toMatchObject({ status: 'approved', surname: 'Lovelace' })
    })
  })
})
