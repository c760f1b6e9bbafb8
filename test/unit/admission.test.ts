/** Who is next where more commands come than can be done. */
import { expect, test } from 'vitest'
import { createAdmission } from '../../src/temporal/admission.ts'

const LATER = Date.now() + 3_600_000

/** Work that ends when it is told to, and says that it began. */
function tasks() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    began.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  return { began, work, end: (name: string) => ends.get(name)?.() }
}

test('so many at once; of those that wait, the newest is next, and none is left', async () => {
  const { began, work, end } = tasks()
  const admitted = createAdmission(2)
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => admitted(LATER, work(name)))
  expect(began).toEqual(['a', 'b'])
  for (const name of ['b', 'e', 'a', 'd', 'c']) {
    end(name)
    await new Promise(setImmediate)
  }
  expect(began).toEqual(['a', 'b', 'e', 'd', 'c'])
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  // Its place is free again, also after what failed.
  await expect(admitted(LATER, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  const more = ['f', 'g'].map((name) => admitted(LATER, work(name)))
  expect(began.slice(5)).toEqual(['f', 'g'])
  end('f')
  end('g')
  await Promise.all(more)
})

test('what has no time left is let go by the next that comes, and never begins', async () => {
  const { began, work, end } = tasks()
  const admitted = createAdmission(1)
  const first = admitted(LATER, work('first'))
  const late = [admitted(Date.now() - 2, work('late')), admitted(Date.now() - 1, work('late, too'))]
  const next = admitted(LATER, work('next'))
  expect(await Promise.all(late)).toEqual([null, null])
  end('first')
  await first
  await new Promise(setImmediate)
  end('next')
  expect(await next).toBe('next')
  expect(began).toEqual(['first', 'next'])
})
