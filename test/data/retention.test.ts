/** Tests which identifications are not erased, and an erasure that races or is interrupted. */
import { and, eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { beneficiaries, files, holds, identifications } from '../../drizzle/schema.ts'
import { changeLegalHold } from '../../src/cli/erasure.ts'
import { transaction } from '../../src/db/connection/database.ts'
import { beginVerification } from '../../src/use-cases/kyb/beneficiary-verification.ts'
import { type Erasure, eraseIdentification } from '../../src/use-cases/review/erasure.ts'
import { blobFolderOf, blobsIn, expectErrors } from '../support/checks.ts'
import { openConsole } from '../support/console.ts'
import { damaging } from '../support/database.ts'
import { conclude, erasedAt, eraseHere, PERIODS, runCli, runErase } from '../support/erasure.ts'
import { createImported, createSoftKyc, isChange, recordOf, statusOf } from '../support/identification.ts'
import { addVault, eventually, startInstance, unique } from '../support/instance.ts'
import { completeApplication } from '../support/kyb.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  attemptsOf,
  deliverTo,
  logOf,
  reconcile,
  settledLog,
  stopScheduledPasses,
} from '../support/webhook.ts'

const gatehouse = await startInstance()
await stopScheduledPasses(gatehouse)
await gatehouse.startWorker()
const { api } = gatehouse
const operator = await gatehouse.operator()
afterAll(() => gatehouse.stop())

async function rejected(): Promise<string> {
  const id = await createSoftKyc(api)
  const { status } = await decide(id, 'rejected')
  expect(status).toBe(200)
  return id
}

const decide = (id: string, outcome: string) =>
  operator.post(`/identifications/${id}/decision`, { outcome, reason_code: 'other' })

const concludedAt = async (id: string) => {
  const rows = await gatehouse.db.orm.execute<{ at: string | null }>(
    `SELECT concluded_at AS at FROM identifications WHERE id = '${id}'`,
  )
  return rows[0]?.at ?? null
}

describe('the retention period', () => {
  test('starts at the rejection, and stops during an appeal', async () => {
    const id = await rejected()
    expect(await concludedAt(id)).not.toBe(null)
    expect((await decide(id, 'attention')).status).toBe(200)
    expect(await concludedAt(id)).toBe(null)
    expect((await decide(id, 'rejected')).status).toBe(200)
    expect(await concludedAt(id)).not.toBe(null)
  })
  test('starts at the closing, before and after approval, and does not move with later changes', async () => {
    const [initiated, approved] = [await createSoftKyc(api), await createImported(api, { name: 'Ada' })]
    for (const id of [initiated, approved]) {
      expect(await concludedAt(id)).toBe(null)
      expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
    }
    const since = await concludedAt(approved)
    expect(since).not.toBe(null)
    expect(await concludedAt(initiated)).not.toBe(null)
    expect((await api.put(`/identifications/${approved}`, { city: 'Paris' })).status).toBe(200)
    expect(await concludedAt(approved)).toBe(since)
  })
  test('does not start while a client or an internal hold blocks the identification', async () => {
    const id = await createImported(api)
    await api.post(`/identifications/${id}/block`, { reason: 'client_request' })
    expect(await statusOf(api, id)).toBe('blocked')
    expect(await concludedAt(id)).toBe(null)
  })
})

describe('the erasure command', () => {
  test.each([-48, -2, 2, 48])(
    'erases nothing if its clock differs from that of PostgreSQL by %i hours',
    async (hours) => {
      const id = await rejected()
      await conclude(gatehouse, id, 6)
      const real = Date.now
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + hours * 3_600_000)
      for (const targets of [{ due: true }, { identification: id }])
        await expect(eraseHere(gatehouse, targets)).rejects.toThrow('so nothing was erased')
      clock.mockRestore()
      expect(await erasedAt(gatehouse, id)).toBe(null)
      expect((await eraseHere(gatehouse, { identification: id })).complete).toBe(true)
    },
  )
  const keeps = async (identification: string, why: RegExp) => {
    const { complete, output } = await eraseHere(gatehouse, { identification })
    expect(complete).toBe(false)
    expect(output).toMatch(why)
    expect(await erasedAt(gatehouse, identification)).toBe(null)
  }
  test('keeps an identification that is neither rejected nor closed', async () => {
    await keeps(await createImported(api), /cannot be erased because it is not concluded/)
  })
  test('keeps an identification that is too recent', async () => {
    const id = await rejected()
    await conclude(gatehouse, id, 4)
    await keeps(id, /cannot be erased because its retention period ends on \d{4}-\d\d-\d\d/)
  })
  test('keeps an identification under a legal hold until the hold is lifted', async () => {
    const id = await rejected()
    await conclude(gatehouse, id, 6)
    expect(await runCli(gatehouse, 'legal-hold', '--identification', id, '--on')).toEqual({
      code: 0,
      output: `Identification ${id} is under a legal hold.\n`,
    })
    await keeps(id, /cannot be erased because it is under a legal hold/)
    for (const dryRun of [true, false]) {
      const { output } = await eraseHere(gatehouse, { due: true }, { dryRun })
      expect(output).not.toContain(id)
      expect(output).toMatch(/^\d+ identifications? cannot be erased because of a legal hold\.$/m)
    }
    const said: string[] = []
    const inProcess = (on: boolean) =>
      changeLegalHold({ db: gatehouse.db, say: (line) => said.push(line) }, id, on)
    await inProcess(false)
    expect(said).toEqual([`Identification ${id} is no longer under a legal hold.`])
    expect(await eraseHere(gatehouse, { identification: id })).toMatchObject({ complete: true })
    expect(await erasedAt(gatehouse, id)).not.toBe(null)
    const { body } = await operator.get(`/identifications/${id}/timeline`)
    const changes = body.data.filter(isChange)
    const actions = changes.map(({ action }: { action: string }) => action)
    expect(actions.slice(-3)).toEqual(['legal_hold_set', 'legal_hold_lifted', 'erased'])
    expect(changes.at(-2).actor).toBe('cli')
    // A second erasure would wrongly report a change.
    const repeated = await eraseHere(gatehouse, { identification: id })
    expect(repeated.output).toMatch(/cannot be erased because it was already erased on/)
    // An erased identification cannot be put under a legal hold, and the timeline must not show one.
    await expect(inProcess(true)).rejects.toThrow(/it was erased on \d{4}-\d\d-\d\d\.$/)
    const held = and(eq(identifications.id, id), eq(identifications.legalHold, true))
    expect(await gatehouse.db.orm.$count(identifications, held)).toBe(0)
    expect(
      (await operator.get(`/identifications/${id}/timeline`)).body.data.filter(isChange).at(-1).action,
    ).toBe('erased')
  })
  test('is announced to administrators of the vault, with the hold that prevents it', async () => {
    const [due, held] = [await rejected(), await rejected()]
    for (const id of [due, held]) await conclude(gatehouse, id, 6)
    await changeLegalHold({ db: gatehouse.db, say: () => {} }, held, true)
    const all = (await operator.get('/erasures?per_page=100')).body
    expect(all.pagination.total_count).toBe(all.data.length)
    const of = (id: string) => all.data.find((row: { id: string }) => row.id === id)
    const row = { vault_id: gatehouse.vaultId, kyb_id: null, status: 'rejected', is_unfinished: false }
    // It was rejected six years ago, and is kept for five.
    const due_since = expect.closeTo(Date.now() / 1_000 - 365 * 86_400, -6)
    expect(of(due)).toMatchObject({ ...row, kept_by: null, due_since })
    expect(of(held)).toMatchObject({ ...row, kept_by: 'legal_hold' })
    const other = await addVault(gatehouse)
    expect((await operator.get(`/erasures?vault_id=${other.vaultId}`)).body.data).toEqual([])
    const idsOf = async (filter: string) => {
      const { body } = await operator.get(`/erasures?per_page=100&${filter}`)
      expect(body.pagination.total_count).toBe(body.data.length)
      return body.data.map((found: { id: string }) => found.id)
    }
    const since = of(due).due_since
    expect(await idsOf('kind=identification')).toEqual(expect.arrayContaining([due, held]))
    expect(await idsOf('kind=kyb')).not.toContain(due)
    expect(await idsOf(`kind=identification&from=${since}&to=${since}`)).toContain(due)
    expect(await idsOf(`from=${since + 1}`)).not.toContain(due)
    expect(await idsOf(`to=${since - 1}`)).not.toContain(due)
    expect((await operator.get('/erasures?from=2&to=1')).status).toBe(422)
    expect((await operator.get('/erasures?kind=person')).status).toBe(422)
    const { email } = await signedIn(gatehouse, 'operator', {
      operator_grants: [{ role: 'administrator', vault_id: other.vaultId }],
    })
    const stranger = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
    expect(await stranger.text('/console/settings/erasures')).toContain('No erasure is due')
    const administrator = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
    const page = await administrator.text('/console/settings/erasures')
    expect(page).toContain(held)
    expect(page).toContain('Legal hold')
    const filtered = async (query: string) => administrator.text(`/console/settings/erasures?${query}`)
    const day = new Date(of(held).due_since * 1_000).toISOString().slice(0, 10)
    expect(await filtered(`kind=identification&from=${day}&to=${day}`)).toContain(held)
    expect(await filtered('kind=kyb')).not.toContain(held)
    expect(await filtered(`to=2001-01-01`)).not.toContain(held)
    expect(await filtered('kind=x&from=x&to=x&vault_id=x')).toContain(held)
    await changeLegalHold({ db: gatehouse.db, say: () => {} }, held, false)
  })
  test('keeps an identification with an internal hold until it is lifted', async () => {
    const id = await createImported(api)
    const aCase = { owner: 'transaction_monitoring', reason: 'aml_review', services: ['trades'] }
    const opened = await operator.post(`/identifications/${id}/cases`, aCase)
    expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
    await conclude(gatehouse, id, 6)
    await keeps(id, /cannot be erased because it has an internal hold/)
    expect((await operator.post(`/cases/${opened.body.data.id}/close`)).status).toBe(200)
    expect(await eraseHere(gatehouse, { identification: id })).toMatchObject({ complete: true })
  })
  test('erases nothing in a dry run or without confirmation', async () => {
    const id = await rejected()
    await conclude(gatehouse, id, 6)
    const dryRun = await eraseHere(gatehouse, { due: true }, { dryRun: true })
    expect(dryRun.output).toContain(`Would erase identification ${id}`)
    const unattended = await runErase(gatehouse, '--identification', id)
    expect(unattended).toMatchObject({ code: 1, output: expect.stringContaining('Add --yes') })
    expect(await erasedAt(gatehouse, id)).toBe(null)
  })
  test('requires exactly one option that identifies the identification', async () => {
    for (const args of [['--yes'], ['--due', '--kyb', unique()]]) {
      const { code, output } = await runErase(gatehouse, ...args)
      expect(code).toBe(1)
      expect(output).toContain('Specify one of')
    }
  })
  test('reports an unknown identification', async () => {
    const identification = unique()
    const { output } = await eraseHere(gatehouse, { identification })
    expect(output).toBe(`${identification} cannot be erased because it does not exist.`)
    await expect(eraseHere(gatehouse, { identification: 'x' })).rejects.toThrow('is not an ID')
    await expect(eraseHere(gatehouse, { kyb: unique() })).rejects.toThrow('There is no application')
    const hold = changeLegalHold({ db: gatehouse.db, say: () => {} }, unique(), true)
    await expect(hold).rejects.toThrow('There is no identification')
  })
})

test('names an identification that cannot be erased, and erases the others', async () => {
  const ids = [await rejected(), await rejected(), await rejected()]
  const [damaged = '', ...others] = ids
  for (const [index, id] of ids.entries()) await conclude(gatehouse, id, 9 - index)
  await gatehouse.db.orm.execute(damaging('identifications', 'review', sql`id = ${damaged}`))
  const { code, output } = await runErase(gatehouse, '--due', '--yes')
  expect(code, output).toBe(1)
  expect(output).toContain(
    `${damaged} was not erased. identifications.review:${damaged} cannot be decrypted. Unsupported state`,
  )
  expect(await erasedAt(gatehouse, damaged)).toBe(null)
  for (const id of others) expect(await erasedAt(gatehouse, id), output).not.toBe(null)
  await gatehouse.db.orm.execute(sql`UPDATE identifications SET review = NULL WHERE id = ${damaged}`)
  expect(await eraseHere(gatehouse, { identification: damaged })).toMatchObject({ complete: true })
})

test('names a file that cannot be removed, and leaves only this file for housekeeping', async () => {
  const { id, files: uploaded } = await completeApplication(api)
  await operator.post(`/kyb/${id}/decision`, { outcome: 'rejected', reason_code: 'other' })
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  await conclude(gatehouse, identification_id, 6)
  const next = await rejected()
  await conclude(gatehouse, next, 6)
  const [stuck = '', ...others] = Object.values(uploaded)
  const blobs = {
    ...gatehouse.blobs,
    remove: async (file: string) => {
      if (file === stuck) throw new Error('EACCES: permission denied')
      await gatehouse.blobs.remove(file)
    },
  }
  const { complete, output } = await eraseHere({ ...gatehouse, blobs }, { due: true })
  expect(complete).toBe(false)
  expect(output).toContain(`The file ${stuck} was not deleted. EACCES: permission denied`)
  for (const each of [identification_id, next]) expect(await erasedAt(gatehouse, each)).not.toBe(null)
  const stored = () => blobsIn(blobFolderOf(gatehouse.config)).join()
  for (const file of others) expect(stored()).not.toContain(file)
  expect(stored()).toContain(stuck)
  await reconcile(gatehouse)
  expect(stored()).not.toContain(stuck)
  expect(await gatehouse.db.orm.$count(files, eq(files.kybApplicationId, id))).toBe(0)
})

test('erases an application and its identification by the ID of the application', async () => {
  const { id } = await completeApplication(api)
  await operator.post(`/kyb/${id}/decision`, { outcome: 'rejected', reason_code: 'other' })
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  await conclude(gatehouse, identification_id, 6)
  const { complete, output } = await eraseHere(gatehouse, { kyb: id })
  expect(complete).toBe(true)
  expect(output).toContain('6 files')
  expect(await erasedAt(gatehouse, identification_id)).not.toBe(null)
})

test('keeps an identification if the process’s clock is years ahead', async () => {
  const id = await rejected()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 366 * 86_400_000 })
  try {
    const erasure = await eraseIdentification(gatehouse.db, id, PERIODS)
    expect(erasure).toEqual({ kept: { code: 'retained', until: expect.any(Date) } })
  } finally {
    vi.useRealTimers()
  }
  expect(await erasedAt(gatehouse, id)).toBe(null)
})

test('housekeeping removes blobs that a stopped process left behind', async () => {
  const { id, files: uploaded } = await completeApplication(api)
  const attribute = 'legal_structures'
  const { id: detached } = (await api.upload(id, { attribute })).body
  await api.put(`/kyb/delete_file/${id}`, { blob_key: detached, attribute_key: attribute })
  await operator.post(`/kyb/${id}/decision`, { outcome: 'rejected', reason_code: 'other' })
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  await conclude(gatehouse, identification_id, 6)
  // Simulates a process that stops after the commit, before it deletes the blobs.
  const erasure = await eraseIdentification(gatehouse.db, identification_id, PERIODS)
  expect(erasure).toEqual({ detachedFiles: expect.arrayContaining(Object.values(uploaded)) })
  const stored = () => blobsIn(blobFolderOf(gatehouse.config)).join()
  expect(stored()).toContain(uploaded.evidence_of_ubos)
  // Housekeeping keeps a detached file for one day, but not after an erasure.
  expect(stored()).toContain(detached)
  await reconcile(gatehouse)
  expect(stored()).not.toContain(detached)
  for (const file of Object.values(uploaded)) expect(stored()).not.toContain(file)
  expect(await gatehouse.db.orm.$count(files, eq(files.kybApplicationId, id))).toBe(0)
})

test('accepts an appeal and keeps the data, or erases the data and refuses the appeal, if both are concurrent', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await rejected()
    await conclude(gatehouse, id, 6)
    const [appeal, erasure] = await Promise.all([
      decide(id, 'attention'),
      new Promise((resolve) => setTimeout(resolve, round * 8)).then(() =>
        eraseIdentification(gatehouse.db, id, PERIODS),
      ),
    ])
    const { profile, state } = await recordOf(gatehouse, id)
    if ('kept' in erasure) {
      expect(appeal.status).toBe(200)
      expect(profile.name).toBe('Ada')
      expect(state.verification).toBe('attention')
    } else {
      // A command withdrawn while waiting returns 503, and 422 when it is repeated.
      const final = appeal.status === 503 ? await decide(id, 'attention') : appeal
      expect(final.status).toBe(422)
      expectErrors(final, 'identification_erased')
      expect(profile).toEqual({})
      expect(state.verification).toBe('rejected')
    }
    await eventually(async () => expect(await statusOf(api, id)).toBe(state.verification))
  }
})

const untilBlocked = (count = 1) =>
  eventually(async () => {
    const [waiting] = await gatehouse.db.orm.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    expect(waiting?.count).toBeGreaterThanOrEqual(count)
  })

describe('an erasure of an application and the verification of its beneficiary', () => {
  /** Starts an action while the erasure waits before its writes. Returns the results of both. */
  async function duringErasure<T>(begin: (beneficiaryId: string) => Promise<T>): Promise<[Erasure, T]> {
    const { id } = await completeApplication(api)
    const [person] = await gatehouse.db.orm
      .select({ id: beneficiaries.id })
      .from(beneficiaries)
      .where(eq(beneficiaries.kybApplicationId, id))
    const beneficiary = { id: person?.id ?? '', vaultId: gatehouse.vaultId }
    expect(await beginVerification(gatehouse.db, beneficiary)).toBe(true)
    await operator.post(`/kyb/${id}/decision`, { outcome: 'rejected', reason_code: 'other' })
    const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
    await conclude(gatehouse, identification_id, 6)
    const both: Promise<unknown>[] = []
    await transaction(gatehouse.db, async (tx) => {
      // This lock stops the erasure before it reaches the verification.
      await tx.orm.execute(sql`SELECT FROM webhook_logs FOR UPDATE`)
      both.push(eraseIdentification(gatehouse.db, identification_id, PERIODS))
      await untilBlocked()
      both.push(begin(beneficiary.id))
      await Promise.race([both[1], untilBlocked(2)])
    })
    return Promise.all(both) as Promise<[Erasure, T]>
  }

  test('delays a legal hold, which is then refused', async () => {
    const context = { db: gatehouse.db, say: () => {} }
    const [erasure, hold] = await duringErasure((id) =>
      changeLegalHold(context, id, true).catch((error: Error) => error.message),
    )
    expect(erasure).toHaveProperty('detachedFiles')
    expect(hold).toMatch(/^\S+ cannot be held/)
  })
  test('delays the opening of a case, which is then refused', async () => {
    const aCase = { owner: 'operator_operations', reason: 'other', notes: 'Too late' }
    const [erasure, answer] = await duringErasure((id) =>
      operator.post(`/identifications/${id}/cases`, aCase),
    )
    expect(erasure).toHaveProperty('detachedFiles')
    expect(answer.status).toBe(403)
    expectErrors(answer, 'identification_erased')
  })
})

test('names an identification whose rows are locked, and erases the others', async () => {
  const ids = [await rejected(), await rejected()]
  const [locked = '', other = ''] = ids
  for (const [index, id] of ids.entries()) await conclude(gatehouse, id, 9 - index)
  const { complete, output } = await transaction(gatehouse.db, async (tx) => {
    await tx.orm.execute(sql`SELECT FROM webhook_logs WHERE payload LIKE ${`%${locked}%`} FOR UPDATE`)
    const erasing = eraseHere(gatehouse, { due: true })
    await untilBlocked()
    // As PostgreSQL does after the request timeout.
    await gatehouse.db.orm.execute(
      sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    return erasing
  })
  expect(complete).toBe(false)
  expect(output).toContain(`${locked} was not erased. PostgreSQL returned the error 57014`)
  expect(await erasedAt(gatehouse, other)).not.toBe(null)
  expect(await eraseHere(gatehouse, { identification: locked })).toMatchObject({ complete: true })
})

test('refuses a case opened during the erasure, and stores no notes', async () => {
  const id = await rejected()
  await conclude(gatehouse, id, 6)
  const aCase = { owner: 'operator_operations', reason: 'other', notes: 'Too late' }
  let opening: ReturnType<typeof operator.post> | null = null
  await transaction(gatehouse.db, async (tx) => {
    expect(await eraseIdentification(tx, id, PERIODS)).toHaveProperty('detachedFiles')
    opening = operator.post(`/identifications/${id}/cases`, aCase)
    await untilBlocked()
  })
  const answer = await (opening as unknown as ReturnType<typeof operator.post>)
  expect(answer.status).toBe(403)
  expectErrors(answer, 'identification_erased')
  expect(await gatehouse.db.orm.$count(holds, eq(holds.identificationId, id))).toBe(0)
})

test('does not store a receiver’s response to an erased event', async () => {
  let answer = () => {}
  const released = new Promise<void>((resolve) => (answer = resolve))
  const receiver = await startReceiver(
    (res) => void released.then(() => res.writeHead(200).end('Hello, Ada')),
  )
  await deliverTo(gatehouse, receiver.url)
  const [id, other] = [await rejected(), await createSoftKyc(api)]
  const [erasedLog, otherLog] = [await logOf(gatehouse, id), await logOf(gatehouse, other)]
  const isSent = (log: typeof erasedLog) => receiver.received.some(({ body }) => body === log.payload)
  await eventually(() => expect([isSent(erasedLog), isSent(otherLog)]).toEqual([true, true]))
  await conclude(gatehouse, id, 6)
  expect(await eraseHere(gatehouse, { identification: id })).toMatchObject({ complete: true })
  const excerpts = async (log: typeof erasedLog) => {
    expect(await settledLog(gatehouse, log.id)).toMatchObject({ status: 'completed' })
    return (await attemptsOf(gatehouse, log.id)).map(({ excerpt }) => excerpt)
  }
  answer()
  // On a busy machine, the time limit of the first attempt may pass before the response.
  expect(new Set(await excerpts(erasedLog))).toEqual(new Set([null]))
  expect((await excerpts(otherLog)).at(-1)).toBe('Hello, Ada')
  const before = receiver.received.length
  expect((await api.post(`/webhook_logs/${erasedLog.id}/retry`)).status).toBe(200)
  expect(new Set(await excerpts(erasedLog))).toEqual(new Set([null]))
  expect(receiver.received.length).toBeGreaterThan(before)
  await deliverTo(gatehouse)
  await receiver.stop()
})
