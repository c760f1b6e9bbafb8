/**
 * Tests signatures with the Standard Webhooks library for Python. The one for Node.js is tested with the
 * signature.
 */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/storage/random.ts'
import { signedHeaders } from '../../src/webhooks/signature.ts'
import { describeUnless } from '../support/available.ts'
import { installPythonPackage } from '../support/python-package.ts'

const { missing, bin } = await installPythonPackage('standardwebhooks', '1.1.0')

const VERIFY = `
import json, sys
from standardwebhooks import Webhook
given = json.load(sys.stdin)
print(json.dumps(Webhook(given["secret"]).verify(given["body"], given["headers"])))
`

describeUnless(missing, 'standardwebhooks for Python', () => {
  const verify = (given: object) =>
    execFileSync(bin('python3'), ['-c', VERIFY], { input: JSON.stringify(given), stdio: 'pipe' }).toString()

  test('accepts an attempt, and refuses a changed one', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()]
    const body = '{"data":{"name":"Zürich ☂"}}'
    const attempt = { eventId: '01a1fc43-38da-70c0-b7b7-617cdba27f04', number: 1, body, secrets }
    const headers = signedHeaders(attempt, Math.floor(Date.now() / 1000))
    for (const secret of secrets)
      expect(JSON.parse(verify({ secret, body, headers }))).toEqual(JSON.parse(body))
    expect(() => verify({ secret: secrets[0], body: `${body} `, headers })).toThrow('No matching signature')
  })
})
