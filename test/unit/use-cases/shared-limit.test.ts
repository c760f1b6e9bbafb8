/** Tests the limits that vaults and callers share: which caller gets a slot, and how long others wait. */
import { describe, expect, test } from 'vitest'
import type { Share } from '../../../src/process/fair-slots.ts'
import { createSharedLimit } from '../../../src/use-cases/limits/concurrency-limit.ts'

/** Returns the share of a name such as `a one 1`: the vault, the caller, which is a program if its name says so. */
function shareOf(name: string): Share {
  const [vaultId = '', caller = ''] = name.split(' ')
  return { vaultId, caller, isProgram: caller.startsWith('program') }
}

const settled = () => new Promise(setImmediate)

/** Takes slots in this order. Returns the names that hold a slot, and a function that frees the slot of a name. */
function takePlaces(limit: ReturnType<typeof createSharedLimit>, names: readonly string[]) {
  const holding = new Map<string, () => void>()
  const taken = names.map((name) => {
    return limit.run(shareOf(name), () => new Promise<void>((leave) => holding.set(name, leave)))
  })
  const leave = async (name: string) => {
    holding.get(name)?.()
    holding.delete(name)
    await settled()
  }
  return { holding: () => [...holding.keys()], leave, taken }
}

test('leaves slots to others if one caller or vault holds its maximum', async () => {
  const limit = createSharedLimit({ maxConcurrent: 5, maxPerVault: 3, maxPerCaller: 2, maxWaitMs: 60_000 })
  const { holding, leave, taken } = takePlaces(limit, [
    'a one 1',
    'a one 2',
    'a one 3',
    'a two 1',
    'a two 2',
    'b one 1',
    'b two 1',
    'c one 1',
  ])
  await settled()
  expect(holding()).toEqual(['a one 1', 'a one 2', 'a two 1', 'b one 1', 'b two 1'])
  await leave('b one 1')
  expect(holding()).toContain('c one 1')
  await leave('a one 1')
  expect(holding()).toContain('a one 3')
  for (let left = holding(); left.length > 0; left = holding()) for (const name of left) await leave(name)
  await Promise.all(taken)
})

test('divides free slots evenly between people and programs', async () => {
  const limit = createSharedLimit({ maxConcurrent: 2, maxWaitMs: 60_000 })
  const { holding, leave, taken } = takePlaces(limit, [
    ...['a program1 1', 'a program2 1', 'a program3 1', 'a program4 1'],
    ...['a one 1', 'a two 1'],
  ])
  await settled()
  for (const [left, next] of [
    ['a program1 1', 'a one 1'],
    ['a program2 1', 'a program3 1'],
    ['a one 1', 'a two 1'],
    ['a two 1', 'a program4 1'],
  ] as const) {
    await leave(left)
    expect(holding()).toContain(next)
  }
  for (const name of holding()) await leave(name)
  await Promise.all(taken)
})

test('alternates between people and programs if there is only one slot', async () => {
  const limit = createSharedLimit({ maxConcurrent: 1, maxWaitMs: 60_000 })
  const programs = [1, 2, 3].map((n) => `a program${n} 1`)
  const { holding, leave, taken } = takePlaces(limit, [...programs, 'a one 1', 'a two 1'])
  await settled()
  const served: string[] = []
  for (let next = holding(); next.length > 0; next = holding()) {
    served.push(...next)
    for (const name of next) await leave(name)
  }
  expect(served).toEqual(['a program1 1', 'a one 1', 'a program2 1', 'a two 1', 'a program3 1'])
  await Promise.all(taken)
})

test('refuses a caller that has waited too long, and gives the free slot to the next caller', async () => {
  const limit = createSharedLimit({ maxConcurrent: 1, maxWaitMs: 20, timeoutMessage: 'Later.' })
  const share = { vaultId: 'a', caller: 'one' }
  let leave = () => {}
  void limit.run(share, () => new Promise<void>((resolve) => (leave = resolve)))
  await settled()
  const refused = limit.run(share, async () => 'refused')
  await expect(refused).rejects.toMatchObject({
    problems: [{ code: 'service_unavailable', message: 'Later.' }],
  })
  const next = limit.run(share, async () => 'next')
  leave()
  expect(await next).toBe('next')
  await expect(limit.run(share, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await limit.run(share, async () => 'free again')).toBe('free again')
})

describe('work that can be stopped', () => {
  /** Starts work in this order that lasts until it is stopped. Returns the names of the work that was stopped. */
  async function hold(limit: ReturnType<typeof createSharedLimit>, names: readonly string[]) {
    const stopped: string[] = []
    for (const name of names) {
      let reject: (error: Error) => void = () => {}
      const work = () => new Promise((_, fail) => (reject = fail))
      const stop = (refusal: Error) => {
        if (!name.endsWith('fixed')) reject(refusal)
        return !name.endsWith('fixed')
      }
      limit.run(shareOf(name), work, { stop }).catch(() => stopped.push(name))
    }
    await settled()
    return stopped
  }

  test.each([
    ['the caller with the most slots', ['a one 1', 'a two 1', 'a two 2', 'a three 1'], 'a four', ['a two 1']],
    ['work that can be stopped', ['a one fixed', 'a one 1', 'a one 2', 'a two 1'], 'a three', ['a one 1']],
    ['its vault, if the vault has all its slots', [...'1234'].map((n) => `a one ${n}`), 'a two', ['a one 1']],
    [
      'the vault with the most slots',
      ['b one 1', 'a one 1', 'a two 1', 'a two 2', 'a two 3', 'b one 2'],
      'c one',
      ['a two 1'],
    ],
    [
      'its vault, if no other vault has two more',
      ['b one 1', 'b two 1', 'b three 1', 'a one 1', 'a one 2', 'a one 3'],
      'a two',
      ['a one 1'],
    ],
    ['no one, if all have one slot', ['a one 1', 'a two 1', 'a three 1', 'a four 1'], 'a five', []],
    [
      'the program with the most slots, if a person waits',
      ['a program1 1', 'a program2 1', 'a program2 2', 'a one 1'],
      'a two',
      ['a program2 1'],
    ],
    [
      'a program, if each has one slot',
      ['a program1 1', 'a program2 1', 'a program3 1', 'a one 1'],
      'a two',
      ['a program1 1'],
    ],
    [
      'another program, if the first one cannot be stopped',
      ['a program1 fixed', 'a program2 1', 'a program3 1', 'a one 1'],
      'a two',
      ['a program2 1'],
    ],
    [
      'no program, if people have as many slots',
      ['a program1 1', 'a program2 1', 'a one 1', 'a two 1'],
      'a three',
      [],
    ],
    [
      'no person with fewer slots than all programs, if a program waits',
      ['a program1 1', 'a program2 1', 'a one 1', 'a one 2'],
      'a program3',
      [],
    ],
    [
      'a person with more slots than all programs, if one waits',
      ['a program1 1', 'a one 1', 'a one 2', 'a one 3'],
      'a program2',
      ['a one 1'],
    ],
    ['no program, if another one waits', [...'1234'].map((n) => `a program${n} 1`), 'a program5', []],
    ['no person, if a program waits', [...'1234'].map((n) => `a person${n} 1`), 'a program', []],
    ['no one, if it would have as many', ['a one 1', 'a one 2', 'a two 1', 'a two 2'], 'a two', []],
  ])('makes room for a waiting caller, at the cost of %s', async (_, names, waiting, stopped) => {
    const limit = createSharedLimit({ maxConcurrent: 6, maxPerVault: 4, maxWaitMs: 40 })
    const found = await hold(limit, names)
    const work = limit.run(shareOf(waiting), async () => 'done')
    if (stopped.length > 0) expect(await work).toBe('done')
    else await expect(work).rejects.toThrow()
    expect(found).toEqual(stopped)
  })

  test('stops only as much for a caller with many requests at once as an even share needs', async () => {
    const limit = createSharedLimit({ maxConcurrent: 8, maxPerCaller: 4, maxWaitMs: 60 })
    const stopped: string[] = []
    const ends: (() => void)[] = []
    for (const caller of ['one', 'two'])
      for (let n = 0; n < 4; n++) {
        // The work ends only later, for example because a write to a bucket must end first.
        const work = () => new Promise<void>((resolve) => ends.push(resolve))
        const stop = () => Boolean(stopped.push(caller))
        void limit.run({ vaultId: 'a', caller }, work, { stop })
      }
    const asked = Array.from({ length: 4 }, () =>
      limit.run({ vaultId: 'a', caller: 'three' }, async () => {}),
    )
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(stopped).toEqual(['one', 'two'])
    for (const end of ends) end()
  })

  test('tries again if no work could be stopped', async () => {
    const limit = createSharedLimit({ maxConcurrent: 2, maxWaitMs: 10_000 })
    let canStop = false
    const hold = () => {
      let end = () => {}
      const work = () => new Promise<void>((resolve) => (end = resolve))
      const stop = () => {
        if (canStop) end()
        return canStop
      }
      return limit.run({ vaultId: 'a', caller: 'one' }, work, { stop })
    }
    const held = [hold(), hold()]
    const waiting = limit.run({ vaultId: 'a', caller: 'two' }, async () => 'done')
    setTimeout(() => (canStop = true), 1_500)
    expect(await waiting).toBe('done')
    await Promise.race(held)
  })

  test('stops nothing for a caller that has gone', async () => {
    const limit = createSharedLimit({ maxConcurrent: 4, maxWaitMs: 40 })
    const found = await hold(limit, ['a one 1', 'a one 2', 'a one 3', 'a one 4'])
    const work = limit.run({ vaultId: 'a', caller: 'two' }, async () => {}, { isGone: () => true })
    await expect(work).rejects.toThrow()
    expect(found).toEqual([])
  })

  test('stops nothing while a slot is free, or for a caller that has its maximum', async () => {
    const limit = createSharedLimit({ maxConcurrent: 6, maxPerVault: 4, maxPerCaller: 2, maxWaitMs: 40 })
    const found = await hold(limit, ['a one 1', 'a one 2', 'a two 1', 'a two 2', 'b one 1'])
    await expect(limit.run({ vaultId: 'b', caller: 'one' }, async () => 'free')).resolves.toBe('free')
    await expect(limit.run({ vaultId: 'a', caller: 'one' }, async () => 'late')).rejects.toThrow()
    expect(found).toEqual([])
  })
})
