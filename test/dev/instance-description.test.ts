/** Tests the output of `npm start`, which names only commands that the environment permits. */
import { expect, test } from 'vitest'
import { describeInstance } from '../../dev/launcher/instance-description.ts'
import { readSettings } from '../../dev/settings.ts'

const settings = { DATA_DIR: '/srv/gatehouse' }
const instance = {
  base_url: 'http://localhost:3000/v1',
  operator_email: 'operator@example.com',
  operator_password: 'operators-secret',
  api_key: 'a-key',
}
const descriptionOf = (ENVIRONMENT: 'sandbox' | 'production', more: object = {}) =>
  describeInstance({ ...settings, ENVIRONMENT, ...more } as never, instance as never)

test('shows how to try the sandbox', () => {
  for (const shown of ['npm run demo', 'npm run listen', 'a-key'])
    expect(descriptionOf('sandbox')).toContain(shown)
  expect(descriptionOf('sandbox')).not.toContain('docs/production.md')
})

test('shows the address of the instance to other commands, unless they find it themselves', () => {
  expect(descriptionOf('sandbox', { DATA_DIR: "/srv/Ada's" })).toContain(
    "  DATA_DIR='/srv/Ada'\\''s' npm run listen -- --register all",
  )
  expect(descriptionOf('sandbox', readSettings({}))).toContain('\n  npm run demo\n')
})

test('shows the missing settings in production, without secrets or sandbox commands', () => {
  for (const refused of ['npm run demo', 'npm run listen', 'a-key"', 'operators-secret'])
    expect(descriptionOf('production')).not.toContain(refused)
  for (const lacking of ['one machine', 'backup', 'HTTPS', 'docs/production.md'])
    expect(descriptionOf('production')).toContain(lacking)
})
