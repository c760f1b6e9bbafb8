/** Tests a Temporal server that refuses requests: commands return 503, and the log states the reason. */
import { afterAll, expect, test, vi } from 'vitest'
import { DEADLINE_MS } from '../../../src/temporal/gateway.ts'
import { expectErrors } from '../../support/checks.ts'
import { type OwnInstance, startInstance } from '../../support/instance.ts'

const instances: OwnInstance[] = []
afterAll(() => Promise.all(instances.map(({ stop }) => stop())))

test.each([
  ['the namespace is missing', { TEMPORAL_NAMESPACE: 'nowhere' }, [], 'the namespace nowhere does not exist'],
  ['a search attribute is missing', {}, ['GatehouseStatus'], '3: Update-with-Start could not be executed.'],
])('returns 503 and logs the reason if %s', async (_what, env, searchAttributes, reason) => {
  const gatehouse = await startInstance({ env, deadlineMs: DEADLINE_MS })
  instances.push(gatehouse)
  const { temporal, log, config } = gatehouse
  if (searchAttributes.length > 0)
    await temporal.connection.operatorService.removeSearchAttributes({
      namespace: config.TEMPORAL_NAMESPACE,
      searchAttributes,
    })
  const logged = vi.spyOn(log, 'error')
  const id = await gatehouse.api.createKyb()
  const edit = { nature_of_business: { legal_company_name: 'Looms SA' } }
  expectErrors(await gatehouse.api.patch(`/kyb/${id}`, edit), 'service_unavailable')
  expect(logged).toHaveBeenCalledWith({ reason }, expect.stringContaining('setup-temporal'))
})
