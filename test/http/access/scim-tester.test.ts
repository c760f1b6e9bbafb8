/** Tests with scim2-tester that SCIM 2.0 conforms to its standards. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../../support/available.ts'
import { type OwnInstance, startInstance } from '../../support/instance.ts'
import { installPythonPackage } from '../../support/python-package.ts'
import { SCIM } from '../../support/sso.ts'

const VERSION = '0.5.2'
const script = new URL('../../support/scim_check.py', import.meta.url).pathname

const { missing, bin } = await installPythonPackage('scim2-tester', VERSION, 'httpx2')

describeUnless(missing, 'scim2-tester', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance({ env: SCIM })
  })
  afterAll(() => gatehouse?.stop())

  test('finds no deviation', async () => {
    const args = [script, `${gatehouse.baseUrl}/scim/v2`, SCIM.SCIM_TOKEN]
    const { stdout } = await promisify(execFile)(bin('python3'), args, { maxBuffer: 10_000_000 })
    expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^\d{2,} checks$/)])
  })
})
