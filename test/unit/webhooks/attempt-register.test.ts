/** Tests the phases of delivery attempts and the load that they cause. */
import { describe, expect, test } from 'vitest'
import {
  createAttemptRegister,
  createProgress,
  type DeliveryOutcome,
  type Phase,
} from '../../../src/webhooks/attempt-register.ts'

const queued: Phase = { is: 'queued', vaultId: 'one' }
const sending: Phase = { is: 'sending', vaultId: 'one', startedAt: 0 }
const never = () => new Promise<never>(() => {})

describe('an attempt', () => {
  test('passes through its phases', () => {
    const progress = createProgress({ is: 'claiming' }, [])
    for (const phase of [queued, sending, sending, { is: 'ended' } as const]) {
      progress.enter(phase)
      expect(progress.phase).toBe(phase)
    }
  })
  test.each([
    [{ is: 'claiming' } as const, sending],
    [queued, { is: 'claiming' } as const],
    [queued, queued],
    [sending, queued],
    [{ is: 'ended' } as const, sending],
    [{ is: 'ended' } as const, { is: 'ended' } as const],
  ])('cannot go from %j to %j', (from, to) => {
    const progress = createProgress(from, [])
    expect(() => progress.enter(to)).toThrow(`${to.is} cannot follow ${from.is}`)
    expect(progress.phase).toBe(from)
  })
})

test('counts an attempt as slow if its newest request is old, or if its caller waits for slow hosts', () => {
  const register = createAttemptRegister()
  const { callers } = register.enter('queued', 'batch', queued, never)
  register.enter('sending', 'batch', { ...sending, startedAt: performance.now() }, never)
  expect(register.measureLoad().fastCount).toBe(2)
  register.enter('slow', 'batch', { ...sending, startedAt: performance.now() - 1_100 }, never)
  expect(register.measureLoad().fastCount).toBe(2)
  const caller = { waitsForSlowHosts: true, hasReturned: false }
  callers.push(caller)
  expect(register.measureLoad().fastCount).toBe(1)
  caller.hasReturned = true
  expect(register.measureLoad().fastCount).toBe(2)
})

test('names the vaults with the maximum number of attempts', () => {
  const register = createAttemptRegister()
  for (let n = 0; n < 1_000; n++) register.enter(`${n}`, 'batch', queued, never)
  register.enter('other', 'batch', { is: 'queued', vaultId: 'other' }, never)
  expect(register.measureLoad().fullVaults).toEqual(['one'])
})

test('forgets an attempt that has ended or failed, but not a newer one of the same log', async () => {
  const register = createAttemptRegister()
  const failed = register.enter('one', 'batch', queued, () => Promise.reject(new Error('failed')))
  await expect(failed.ended).rejects.toThrow('failed')
  expect([register.find('one'), failed.phase]).toEqual([undefined, { is: 'ended' }])
  const older = register.enter('one', 'batch', queued, async () => ({ is: 'final' }))
  let finish = (_outcome: DeliveryOutcome) => {}
  const newer = register.enter(
    'one',
    'next batch',
    queued,
    () => new Promise((resolve) => (finish = resolve)),
  )
  await older.ended
  expect(register.find('one')).toBe(newer)
  finish({ is: 'final' })
  await register.settle()
  expect(register.find('one')).toBeUndefined()
})
