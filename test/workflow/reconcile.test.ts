/** Tests the `reconcile` command: interruption, continuation, and workflows that do not respond. */
import { eq } from 'drizzle-orm'
import { MAX } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { identifications } from '../../drizzle/schema.ts'
import { TASK_QUEUES } from '../../src/temporal/client.ts'
import { state } from '../../workflows/messages.ts'
import { createImported } from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
const { api, temporal } = gatehouse
afterAll(() => gatehouse.stop())

const run = (...args: string[]) => spawnProcess('src/cli/main.ts', gatehouse.env, 'reconcile', ...args)
const nameOf = (id: string) => `identification-${id}`
const workflow = (id: string) => temporal.workflow.getHandle(nameOf(id))
const statusOf = async (id: string) => (await workflow(id).describe()).status.name

test('reports that there is nothing to reconcile', async () => {
  const empty = run()
  expect(await empty.ended).toBe(0)
  expect(empty.output()).toBe('There are no workflows to reconcile.\n')
})

test('continues after an interruption, and reaches all other workflows if some do not respond', async () => {
  const kyb = await api.createKyb()
  const ids: string[] = []
  for (let n = 0; n < 30; n += 1) ids.push(await createImported(api))
  const missing = [ids[2], ids[15], ids[28]] as string[]
  const broken = [ids[9], ids[20]] as string[]
  // The worker starts the workflows asynchronously.
  for (const id of [...missing, ...broken]) await eventually(() => workflow(id).terminate('lost'))
  // No worker polls their queue. Temporal answers immediately for a workflow whose tasks have failed several times.
  for (const id of broken)
    await temporal.workflow.start('nobodyKnowsIt', {
      workflowId: nameOf(id),
      taskQueue: 'nobody-polls-it',
    })

  // Healthy workflows respond immediately only after their first task.
  const well = ids.filter((id) => !missing.includes(id) && !broken.includes(id))
  for (const one of [temporal.workflow.getHandle(`kyb-${kyb}`), ...well.map(workflow)])
    await eventually(() => one.query(state))

  const interrupted = run('--parallel', '1')
  // The application, its company and nine people are done while the command waits for the first workflow that does
  // not respond.
  await interrupted.wrote('11 of 32, ')
  await interrupted.stop('SIGINT')
  expect(await interrupted.ended).toBe(1)
  expect(interrupted.output()).toContain(`Could not reach ${nameOf(broken[0] as string)}`)
  const goOn = /Continue with: reconcile (--after) (\S+)/.exec(interrupted.output()) ?? []
  expect(goOn[1]).toBe('--after')

  const rest = run(...goOn.slice(1))
  expect(await rest.ended).toBe(1)
  expect(rest.output()).not.toContain('Continue with')
  const unreached = [interrupted, rest].flatMap(({ output }) => output().match(/(?<=not reach ).*/g) ?? [])
  // On a busy machine, the first answer of a workflow that was just started may be late.
  expect(unreached.filter((id) => !missing.map(nameOf).includes(id))).toEqual(broken.map(nameOf))
  for (const id of missing) expect(await statusOf(id)).toBe('RUNNING')

  for (const id of broken) await workflow(id).terminate('no longer needed')
  const again = run()
  expect(await again.ended).toBe(0)
  expect(again.output()).toContain('32 of 32')
  expect(again.output()).toContain('2 updated, 0 not reached')
})

test.each([
  ['', []],
  [', also if it continues after the last case', ['--after', nameOf(MAX)]],
])('ends workflows whose cases have ended or are not in the database%s', async (_, args) => {
  const kyb = await api.createKyb()
  const ended: string = (await api.get(`/kyb/${kyb}`)).body.data.identification_id
  const older = await eventually(() => workflow(ended).query(state))
  await api.put(`/identifications/${ended}/close`)
  await eventually(async () => expect(await statusOf(ended)).toBe('COMPLETED'))
  const lost = unique()
  for (const id of [ended, lost])
    await temporal.workflow.start('identification', {
      workflowId: nameOf(id),
      taskQueue: TASK_QUEUES.entities,
      args: [{ id, vaultId: gatehouse.vaultId, state: older }],
    })
  let said = ''
  // Temporal lists a new workflow after a moment.
  await eventually(async () => {
    const ending = run(...args)
    expect(await ending.ended).toBe(0)
    said += ending.output()
    expect(await statusOf(lost)).toBe('TERMINATED')
    expect(await statusOf(ended)).toBe('COMPLETED')
  })
  expect(said).toContain(`${nameOf(lost)} is not in the database.\n`)
})

test('names the cases that have lost changes', async () => {
  const id = await createImported(api)
  await eventually(() => workflow(id).query(state))
  expect((await api.post(`/identifications/${id}/block`, { reason: 'client_request' })).status).toBe(200)
  const ofCase = eq(identifications.id, id)
  await gatehouse.db.orm.update(identifications).set({ version: 0 }).where(ofCase)
  const first = run()
  expect(await first.ended).toBe(0)
  expect(first.output()).toContain(`${nameOf(id)} has lost changes. It was blocked at version`)
  const second = run()
  expect(await second.ended).toBe(0)
  expect(second.output()).not.toContain('lost changes')
})
