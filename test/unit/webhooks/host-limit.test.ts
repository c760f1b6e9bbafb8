/** Tests the limit per host: bursts, slow hosts and fairness among vaults. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostLimit } from '../../../src/webhooks/host-limit.ts'

const to = (host: string, { waitsLong = false, vaultId = 'first' } = {}) => ({
  url: `https://${host}/hook`,
  vaultId,
  canWaitLong: () => waitsLong,
})
const sends = async () => 'sent'

test('completes a burst to a fast host, at most five at a time', async () => {
  const limit = createHostLimit(5)
  let [active, most] = [0, 0]
  const send = async () => {
    most = Math.max(most, ++active)
    await sleep(10)
    active -= 1
    return 'sent'
  }
  const all = Array.from({ length: 200 }, () => limit.run(to('receiver.example'), send))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['sent']))
  expect(most).toBe(5)
})

test('queues only patient callers for a hanging host, and does not delay other hosts', async () => {
  const limit = createHostLimit(1)
  let open = () => {}
  const hanging = limit.run(
    to('receiver.example'),
    () => new Promise<string>((resolve) => (open = () => resolve('late'))),
  )
  const impatient = limit.run(to('receiver.example'), sends)
  const patient = limit.run(to('receiver.example', { waitsLong: true }), sends)
  expect(await limit.run(to('other.example'), sends)).toBe('sent')
  expect(await impatient).toBeNull()
  open()
  expect([await hanging, await patient]).toEqual(['late', 'sent'])
})

test('alternates between vaults at a shared host, regardless of the length of their queues', async () => {
  const limit = createHostLimit(1)
  const order: string[] = []
  const ask = (vaultId: string) =>
    limit.run(to('shared.example', { vaultId }), async () => order.push(vaultId))
  const all = ['first', 'first', 'first', 'first', 'second', 'second', 'third'].map(ask)
  await Promise.all(all)
  expect(order.join(' ')).toBe('first first second third first second first')
})

test('releases all waiting callers if it is stopped', async () => {
  const limit = createHostLimit(1)
  void limit.run(to('receiver.example', { waitsLong: true }), () => new Promise(() => {}))
  const waiting = limit.run(to('receiver.example', { waitsLong: true }), sends)
  limit.stop()
  expect(await waiting).toBeNull()
  expect(await limit.run(to('other.example', { waitsLong: true }), sends)).toBeNull()
})
