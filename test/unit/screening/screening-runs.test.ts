/** Tests which screening runs next, and which screenings share a run. */
import { expect, test } from 'vitest'
import type { EntityRef } from '../../../src/domain/entity/entity.ts'
import { createRuns } from '../../../src/screening/runs.ts'

const settled = () => new Promise(setImmediate)
const refOf = (name: string): EntityRef => {
  const [vaultId = '', entity, id = ''] = name.split(' ')
  return { vaultId, entity: entity === 'kyb' ? 'kyb' : 'identification', id: `${vaultId}${id}` }
}

/** Starts runs that last until the test ends them, and records their order. */
function start(limits: Parameters<typeof createRuns>[0]) {
  const runs = createRuns(limits)
  const began: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string) =>
    runs.run(refOf(name), () => {
      began.push(name)
      return new Promise<void>((end) => ends.push(end))
    })
  const endNext = async () => {
    ends.shift()?.()
    await settled()
  }
  return { runs, began, run, endNext }
}

const WIDE = { maxRuns: 100, maxRunsPerVault: 100 }

test('screens an entity only once more if it changed repeatedly during the run', async () => {
  const { runs, began, run, endNext } = start({ maxConcurrent: 1, ...WIDE })
  const all = [run('a kyb 1'), run('a kyb 1')]
  await settled()
  all.push(run('a kyb 1'), run('a kyb 1'))
  expect(runs.isRunning(refOf('a kyb 1'))).toBe(true)
  await endNext()
  await endNext()
  await Promise.all(all)
  expect(began).toEqual(['a kyb 1', 'a kyb 1'])
  expect(runs.isRunning(refOf('a kyb 1'))).toBe(false)
})

test('shares the runs among vaults, and between companies and people', async () => {
  const { began, run, endNext } = start({ maxConcurrent: 2, ...WIDE })
  const flood = ['a kyb 1', 'a kyb 2', 'a kyb 3', 'a kyb 4']
  const all = [...flood, 'a identification 1', 'b kyb 1'].map(run)
  await settled()
  for (let n = 0; n < 6; n += 1) await endNext()
  await Promise.all(all)
  expect(began).toEqual(['a kyb 1', 'a kyb 2', 'b kyb 1', 'a kyb 3', 'a identification 1', 'a kyb 4'])
})

test('leaves further entities to housekeeping if a vault has the maximum number of runs', async () => {
  const { began, run, endNext } = start({ maxConcurrent: 1, maxRuns: 3, maxRunsPerVault: 2 })
  const all = ['a kyb 1', 'a kyb 2', 'a kyb 3', 'b kyb 1', 'c kyb 1'].map(run)
  await settled()
  await Promise.all([all[2], all[4]])
  for (let n = 0; n < 3; n += 1) await endNext()
  await Promise.all(all)
  expect(began.sort()).toEqual(['a kyb 1', 'a kyb 2', 'b kyb 1'])
})

test('frees the slot of a run that fails', async () => {
  const runs = createRuns({ maxConcurrent: 1, ...WIDE })
  await expect(runs.run(refOf('a kyb 1'), () => Promise.reject(new Error('failed')))).rejects.toThrow()
  let isDone = false
  await runs.run(refOf('a kyb 1'), async () => {
    isDone = true
  })
  expect(isDone).toBe(true)
})
