/** Tests the command path with real parts: races, withdrawal, and a database ahead of the workflow. */
import { and, eq, type SQL } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands, kybApplications, timeline } from '../../drizzle/schema.ts'
import { getIdentificationForUpdate, getStateForUpdate } from '../../src/db/cases/identification.ts'
import { readKybSnapshot } from '../../src/db/cases/snapshot.ts'
import { getCommandsForUpdate, insertCommand, withdrawCommand } from '../../src/db/commands/command.ts'
import { type Database, transaction } from '../../src/db/connection/database.ts'
import { getAssignmentForUpdate } from '../../src/db/lists/assignment.ts'
import { setLegalHold } from '../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../src/domain/access/audit.ts'
import { NO_SPAN } from '../../src/process/span.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import type { Activities } from '../../workflows/activities.ts'
import { command } from '../../workflows/messages.ts'
import { historyText } from '../support/history.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'

const person = (n: number) => ({
  beneficiaries: { beneficiaries_list: [{ email: `p${n}@example.com`, full_name: `Person ${n}` }] },
})

describe('the command path of an application', () => {
  let gatehouse: OwnInstance
  let activities: Activities
  beforeAll(async () => {
    gatehouse = await startInstance()
    await gatehouse.startWorker((each) => {
      activities = each
      return each
    })
  })
  afterAll(() => gatehouse.stop())

  const emails = async (id: string): Promise<string[]> => {
    const { body } = await gatehouse.api.get(`/kyb/${id}`)
    return body.data.beneficiaries.beneficiaries_list.map(({ email }: { email: string }) => email)
  }
  const target = (id: string) => ({ id, vaultId: gatehouse.vaultId })
  const versionOf = async (id: string) => {
    const { version } = kybApplications
    const [row] = await gatehouse.db.orm
      .select({ version })
      .from(kybApplications)
      .where(eq(kybApplications.id, id))
    return row?.version
  }

  test('applies fifty concurrent patches', async () => {
    const [id, other] = [await gatehouse.api.createKyb(), await gatehouse.api.createKyb()]
    // A worker's first command takes longest.
    expect((await gatehouse.api.patch(`/kyb/${other}`, person(0))).status).toBe(200)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => gatehouse.api.patch(`/kyb/${id}`, person(n))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(new Set(await emails(id)).size).toBe(50)
    expect(await versionOf(id)).toBe(51)
  })

  test('keeps the history short regardless of the number of commands', async () => {
    const id = await gatehouse.api.createKyb()
    const handle = gatehouse.temporal.workflow.getHandle(`kyb-${id}`)
    const runs = new Set<string>()
    for (let n = 0; n < 50; n += 1) {
      expect(
        (await gatehouse.api.patch(`/kyb/${id}`, { nature_of_business: { phone: `+49301234${n + 100}` } }))
          .status,
      ).toBe(200)
      const { runId, historyLength } = await handle.describe()
      runs.add(runId)
      expect(historyLength).toBeLessThan(150)
    }
    expect(runs.size).toBe(3)
    expect(await versionOf(id)).toBe(51)
  })

  /** From the second change to an application onwards, PostgreSQL checks that its identification exists. */
  test.each<[string, (tx: Database, id: string) => Promise<unknown>]>([
    ['a change', (tx, id) => getIdentificationForUpdate(tx, gatehouse.vaultId, id)],
    ['a note or a case', getStateForUpdate],
    ['an assignment', (tx, id) => getAssignmentForUpdate(tx, { ...target(id), entity: 'identification' })],
    ['a legal hold', (tx, id) => setLegalHold(tx, BY_COMMAND_LINE, id, true)],
  ])('applies commands while the identification is locked for %s', async (_, lock) => {
    const { api, db } = gatehouse
    const id = await api.createKyb()
    const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
    const commandIds = [unique(), unique()]
    for (const [n, commandId] of commandIds.entries()) {
      const command = { kind: 'patch', patch: person(n) } as const
      await insertCommand(
        db,
        { id: commandId, target: { ...target(id), entity: 'kyb' }, command, actor: 'test' },
        60_000,
      )
    }
    await transaction(db, async (tx) => {
      await lock(tx, identification_id)
      const applied = await activities.applyKybCommands({ ...target(id), commandIds, version: 1 })
      expect(applied).toMatchObject({ outcomes: [{ outcome: 'applied' }, { outcome: 'applied' }] })
    })
    expect(await versionOf(id)).toBe(3)
  })

  test('withdraws a command whose row is inserted during the withdrawal', async () => {
    const { db } = gatehouse
    const id = await gatehouse.api.createKyb()
    const commandId = unique()
    const insert = () =>
      insertCommand(
        db,
        {
          id: commandId,
          target: { ...target(id), entity: 'kyb' },
          command: { kind: 'patch', patch: person(0) },
          actor: 'test',
        },
        0,
      )
    let isInserted = false
    // The insert commits after the first delete, which finds nothing.
    const select = () => ({
      from: (table: typeof commands) => ({
        where: async (condition: SQL) => {
          if (!isInserted) await insert()
          isInserted = true
          return db.orm.select().from(table).where(condition)
        },
      }),
    })
    const orm: Database['orm'] = Object.assign(Object.create(db.orm), { select })
    expect(await withdrawCommand({ ...db, orm }, commandId)).toBe('withdrawn')
    expect(isInserted).toBe(true)
    expect(await db.orm.$count(commands, eq(commands.id, commandId))).toBe(0)
  })

  test('either applies a patch before a concurrent decision, or refuses it with 403', async () => {
    const id = await gatehouse.api.createKyb()
    const patches = Array.from({ length: 20 }, (_, n) => gatehouse.api.patch(`/kyb/${id}`, person(n)))
    await Promise.race(patches)
    const decision = gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    const more = Array.from({ length: 20 }, (_, n) => gatehouse.api.patch(`/kyb/${id}`, person(20 + n)))
    const answers = await Promise.all([...patches, ...more])
    expect((await decision).status).toBe(200)

    const landed = answers.flatMap(({ status }, n) => (status === 200 ? [`p${n}@example.com`] : []))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(await emails(id))).toEqual(new Set(landed))
    for (const { status, body } of refused) {
      expect(status).toBe(403)
      expect(body.errors[0].code).toBe('kyb_processed')
    }
    expect(await versionOf(id)).toBe(1 + landed.length + 1)
    expect((await gatehouse.api.patch(`/kyb/${id}`, person(99))).status).toBe(403)
  })

  test('accepts one of two concurrent decisions and refuses the other with 422 kyb_processed', async () => {
    const id = await gatehouse.api.createKyb()
    const answers = await Promise.all(
      ['approved', 'rejected'].map((outcome) =>
        gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, body.errors[0].code])).toEqual([[422, 'kyb_processed']])
  })

  test('keeps the row of an applied command as the audit trail, but not the row of a refused one', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, person(1))
    await gatehouse.api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    await gatehouse.api.patch(`/kyb/${id}`, person(2))
    const rows = await gatehouse.db.orm.select().from(commands).where(eq(commands.entityId, id))
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['patch', 'reject'])
    expect(rows.every(({ appliedAt, actor }) => appliedAt !== null && actor.startsWith('api_key:'))).toBe(
      true,
    )
  })

  test('adopts the database’s state if it is ahead of the workflow, and decides again', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, person(1))
    await gatehouse.db.orm.update(kybApplications).set({ version: 40 }).where(eq(kybApplications.id, id))
    expect((await gatehouse.api.patch(`/kyb/${id}`, person(2))).status).toBe(200)
    expect(await versionOf(id)).toBe(41)
    // The workflow and the caller assume an open application, but the database says that it is processed.
    const { db, vaultId } = gatehouse
    const state = await readKybSnapshot(db, vaultId, id)
    await db.orm
      .update(kybApplications)
      .set({ version: 50, status: 'processed' })
      .where(eq(kybApplications.id, id))
    const refused = gatehouse.gateway.run({
      id: crypto.randomUUID(),
      target: { entity: 'kyb', id, vaultId },
      command: { kind: 'patch', patch: {} },
      state: state as NonNullable<typeof state>,
      actor: 'test',
      span: NO_SPAN,
      since: performance.now(),
    })
    await expect(refused).rejects.toMatchObject({ problems: [{ code: 'kyb_processed' }] })
  })

  test('does not refuse a command that the database allows if the workflow is behind', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, person(1))
    await gatehouse.db.orm
      .update(kybApplications)
      .set({ version: 9, completed: true })
      .where(eq(kybApplications.id, id))
    const operator = await gatehouse.operator()
    const decision = { outcome: 'approved', reason_code: 'complete' }
    expect((await operator.post(`/kyb/${id}/decision`, decision)).status).toBe(200)
    expect(await versionOf(id)).toBe(10)
  })

  test('restarts a manually terminated workflow with the next command', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, person(1))
    await gatehouse.temporal.workflow.getHandle(`kyb-${id}`).terminate('by mistake')
    expect((await gatehouse.api.patch(`/kyb/${id}`, person(2))).status).toBe(200)
    expect(await emails(id)).toHaveLength(2)
  })

  test('refuses a command ID that is not a UUID, and still applies later commands', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, person(1))
    const byHand = { commandId: 'the id of the row', kind: 'patch' }
    const handle = gatehouse.temporal.workflow.getHandle(`kyb-${id}`)
    await expect(handle.executeUpdate(command, { args: [byHand] })).rejects.toThrow()
    expect((await gatehouse.api.patch(`/kyb/${id}`, person(2))).status).toBe(200)
    // Workflows without this check may have accepted such an ID.
    const target = { entity: 'kyb', id, vaultId: gatehouse.vaultId } as const
    expect(await getCommandsForUpdate(gatehouse.db, target, [byHand.commandId])).toEqual(new Map())
  })

  test('keeps personal data out of the history', async () => {
    const id = await gatehouse.api.createKyb()
    await gatehouse.api.patch(`/kyb/${id}`, {
      nature_of_business: { legal_company_name: 'Secretive Holdings' },
      ...person(7),
    })
    const text = await historyText(gatehouse, `kyb-${id}`)
    for (const secret of ['Secretive', 'p7@example.com', 'Person 7']) expect(text).not.toContain(secret)
    // These public values show that the payloads were read.
    for (const known of [id, gatehouse.vaultId, 'commandId', 'patch']) expect(text).toContain(known)
  })

  test('writes one timeline entry for each applied command', async () => {
    const id = await gatehouse.api.createKyb()
    await Promise.all([1, 2, 3].map((n) => gatehouse.api.patch(`/kyb/${id}`, person(n))))
    const rows = await gatehouse.db.orm
      .select()
      .from(timeline)
      .where(and(eq(timeline.entityId, id), eq(timeline.action, 'patch')))
    expect(rows).toHaveLength(3)
  })
})

describe('a command that is not applied in time', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance({ deadlineMs: DEADLINE_MS })
  })
  afterAll(() => gatehouse.stop())

  test('is withdrawn with a 503, and the late activity changes nothing', async () => {
    let held: Promise<void> | null = null
    const late: Promise<unknown>[] = []
    await gatehouse.startWorker((activities) => ({
      ...activities,
      applyKybCommands(input) {
        held ??= new Promise((resolve) => setTimeout(resolve, 4_500))
        const outcome = held.then(() => activities.applyKybCommands(input))
        late.push(outcome)
        return outcome
      },
    }))
    const id = await gatehouse.api.createKyb()
    const { status, headers, body } = await gatehouse.api.patch(`/kyb/${id}`, person(1))
    expect([status, body.errors[0].code, headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    expect(await late[0]).toMatchObject({ outcomes: [{ outcome: 'withdrawn' }] })
    const { body: after } = await gatehouse.api.get(`/kyb/${id}`)
    expect(after.data.beneficiaries.beneficiaries_list).toEqual([])
    await eventually(async () =>
      expect((await gatehouse.api.patch(`/kyb/${id}`, person(1))).status).toBe(200),
    )
  })
})
