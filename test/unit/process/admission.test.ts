/** Tests which command admission control admits next under load. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAdmission } from '../../../src/temporal/admission.ts'

const LATER = Date.now() + 3_600_000

/** Records each task that starts. A task runs until `end` is called with its name. */
function tasks() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    began.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  return { began, work, end: (name: string) => ends.get(name)?.() }
}

/** Admits commands of one caller to a new workflow each, so that only the deadline affects the order. */
function oneCaller(atOnce: number, longestMs?: number) {
  const admitted = createAdmission({
    maxConcurrent: atOnce,
    maxPerWorkflow: atOnce,
    ...(longestMs !== undefined && { longestMs }),
  })
  return <T>(until: number, work: () => Promise<T>) =>
    admitted({ vaultId: 'vault', caller: 'caller', workflowId: randomUUID(), until }, work)
}

const { setImmediate: onImmediate } = globalThis
const settled = () => new Promise<void>((resolve) => onImmediate(resolve))

/** Advances the fake clock. `vi.advanceTimersByTimeAsync` waits for a real millisecond per timer. */
async function advance(ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await settled()) vi.advanceTimersToNextTimer()
}

test('runs up to the maximum number of tasks at once, then the oldest waiting one, until all are completed', async () => {
  const { began, work, end } = tasks()
  const admitted = oneCaller(2)
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => admitted(LATER, work(name)))
  await settled()
  expect(began).toEqual(['a', 'b'])
  for (const name of ['b', 'c', 'a', 'd', 'e']) {
    end(name)
    await settled()
  }
  expect(began).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  // A failed task also frees its slot.
  await expect(admitted(LATER, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  const more = ['f', 'g'].map((name) => admitted(LATER, work(name)))
  await settled()
  expect(began.slice(5)).toEqual(['f', 'g'])
  end('f')
  end('g')
  await Promise.all(more)
})

test('starts the newest task if the oldest is almost out of time, and never one past its deadline', async () => {
  const { began, work, end } = tasks()
  const admitted = oneCaller(1)
  const first = admitted(LATER, work('first'))
  const late = admitted(Date.now() - 1, work('late'))
  const soon = Date.now() + 1_000
  // A task can arrive later but have an earlier deadline.
  const [newest, newer] = [admitted(LATER + 1, work('newest')), admitted(LATER, work('newer'))]
  const others = [admitted(soon, work('old')), newer, newest]
  for (const name of ['first', 'newest', 'newer', 'old']) {
    await settled()
    end(name)
    await settled()
  }
  expect(await late).toBe(null)
  expect(await Promise.all([first, ...others])).toEqual(['first', 'old', 'newer', 'newest'])
  expect(began).toEqual(['first', 'newest', 'newer', 'old'])
})

test('frees the slot of a task that exceeds `longestMs`, and still returns its result', async () => {
  const { began, work, end } = tasks()
  const admitted = oneCaller(1, 20)
  const hanging = admitted(LATER, work('hanging'))
  const next = admitted(LATER, work('next'))
  const last = admitted(LATER, work('last'))
  await expect.poll(() => began).toEqual(['hanging', 'next', 'last'])
  for (const name of ['hanging', 'next', 'last']) end(name)
  expect(await Promise.all([hanging, next, last])).toEqual(['hanging', 'next', 'last'])
  // The slot was freed only once.
  const more = ['a', 'b'].map((name) => admitted(LATER, work(name)))
  await settled()
  expect(began.slice(3)).toEqual(['a'])
  end('a')
  await expect.poll(() => began.slice(3)).toEqual(['a', 'b'])
  end('b')
  await Promise.all(more)
})

describe('a free slot', () => {
  const ask = (admitted: ReturnType<typeof createAdmission>, work: () => Promise<string>, name: string) => {
    const [vaultId = '', caller = '', workflowId = ''] = name.split(' ')
    return admitted({ vaultId, caller, workflowId, until: LATER }, work)
  }
  /** Requests these tasks in order, ends them one by one, and returns the order in which they started. */
  async function orderOf(atOnce: number, ofWorkflow: number, names: readonly string[]): Promise<string[]> {
    const { began, work, end } = tasks()
    const admitted = createAdmission({ maxConcurrent: atOnce, maxPerWorkflow: ofWorkflow })
    const all = names.map((name) => ask(admitted, work(name), name))
    for (let ended = 0; ended < names.length; ended += 1) {
      await settled()
      end(began[ended] ?? '')
    }
    await Promise.all(all)
    return began
  }

  test('goes to the vault with the fewest running commands', async () => {
    const flood = Array.from({ length: 6 }, (_, n) => `a key w${n}`)
    expect(await orderOf(2, 2, [...flood, 'b key w', 'c key w'])).toEqual([
      ...flood.slice(0, 2),
      'b key w',
      flood[2],
      'c key w',
      ...flood.slice(3),
    ])
  })

  test('goes to the caller with the fewest running commands in its vault', async () => {
    const flood = Array.from({ length: 5 }, (_, n) => `a flooding w${n}`)
    expect(await orderOf(2, 2, [...flood, 'a other w1', 'a other w2'])).toEqual([
      ...flood.slice(0, 2),
      'a other w1',
      flood[2],
      'a other w2',
      ...flood.slice(3),
    ])
  })

  test('goes to a later command if the workflow of the first one is full', async () => {
    expect(await orderOf(2, 1, ['a key w', 'a key w again', 'a key v', 'b key w'])).toEqual([
      'a key w',
      'a key v',
      'b key w',
      'a key w again',
    ])
  })
})

describe('several processes with one sequential worker', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /**
   * Returns the share of the worker's capacity that goes to timely commands, at 50 commands per second. Expired
   * commands also occupy the worker.
   */
  async function done(processes: number, perSecond: number): Promise<number> {
    const asked: { until: number; resolve: (isInTime: boolean) => void }[] = []
    const worker = setInterval(() => {
      const command = asked.shift()
      command?.resolve(Date.now() < command.until)
    }, 1_000 / perSecond)
    const admissions = Array.from({ length: processes }, () => oneCaller(24))
    const begun = Date.now()
    let count = 0
    let n = 0
    const callers = setInterval(() => {
      const until = Date.now() + 4_000
      const work = () =>
        new Promise<boolean>((resolve) => {
          const late = setTimeout(resolve, until - Date.now(), false)
          // The fake clock searches all timers at each step.
          const answer = (isInTime: boolean) => {
            clearTimeout(late)
            resolve(isInTime)
          }
          asked.push({ until, resolve: answer })
        })
      void admissions[n++ % processes]?.(until, work).then((isDone) => {
        if (isDone && Date.now() - begun > 15_000) count += 1
      })
    }, 20)
    await advance(60_000)
    clearInterval(worker)
    clearInterval(callers)
    return count / 45 / perSecond
  }

  test.for([
    [1, 26],
    [1, 8],
    [3, 26],
  ] as const)(
    'use over 80 percent of the worker’s capacity for timely commands: %i processes, %i commands per second',
    async ([processes, perSecond]) => {
      expect(await done(processes, perSecond)).toBeGreaterThan(0.8)
    },
  )

  test('complete the commands of two other callers within a second although one vault sends a flood with eight keys', async () => {
    const asked: (() => void)[] = []
    const worker = setInterval(() => asked.shift()?.(), 20)
    const admitted = createAdmission({ maxConcurrent: 24, maxPerWorkflow: 8 })
    const command = (vaultId: string, caller: string) => {
      const began = Date.now()
      const candidate = { vaultId, caller, workflowId: randomUUID(), until: began + 4_000 }
      return admitted(candidate, () => new Promise<void>((resolve) => asked.push(resolve))).then((done) =>
        done === null ? Number.POSITIVE_INFINITY : Date.now() - began,
      )
    }
    let n = 0
    const flood = setInterval(() => void command('flooding', `key ${n++ % 8}`), 6)
    const others: Promise<number>[] = []
    const calm = setInterval(
      () => others.push(command('calm', 'key'), command('flooding', 'applicant')),
      1_000,
    )
    await advance(30_000)
    for (const each of [flood, calm]) clearInterval(each)
    await advance(5_000)
    clearInterval(worker)
    expect(others.length).toBe(60)
    expect(Math.max(...(await Promise.all(others)))).toBeLessThan(1_000)
  })
})
