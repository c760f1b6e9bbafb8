/** Who waits for a host: a burst flows, one that stands still is left to those who are patient. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostLanes } from '../../src/webhooks/host-limit.ts'

const to = (host: string, { patient = false, vaultId = 'first' } = {}) => ({
  url: `https://${host}/hook`,
  vaultId,
  isPatient: () => patient,
})
const sends = async () => 'sent'

test('a burst to a quick host takes its turns, however long the queue, so many at a time', async () => {
  const lanes = createHostLanes(5)
  let [active, most] = [0, 0]
  const send = async () => {
    most = Math.max(most, ++active)
    await sleep(50)
    active -= 1
    return 'sent'
  }
  const all = Array.from({ length: 200 }, () => lanes.run(to('receiver.example'), send))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['sent']))
  expect(most).toBe(5)
})

test('a host that stands still is waited for by the patient alone, and another host is not', async () => {
  const lanes = createHostLanes(1)
  let open = () => {}
  const hanging = lanes.run(
    to('receiver.example'),
    () => new Promise<string>((resolve) => (open = () => resolve('late'))),
  )
  const impatient = lanes.run(to('receiver.example'), sends)
  const patient = lanes.run(to('receiver.example', { patient: true }), sends)
  expect(await lanes.run(to('other.example'), sends)).toBe('sent')
  expect(await impatient).toBeNull()
  open()
  expect([await hanging, await patient]).toEqual(['late', 'sent'])
})

test('vaults take turns at a host they share, however many of one wait', async () => {
  const lanes = createHostLanes(1)
  const order: string[] = []
  const ask = (vaultId: string) =>
    lanes.run(to('shared.example', { vaultId }), async () => order.push(vaultId))
  const all = ['first', 'first', 'first', 'first', 'second', 'second', 'third'].map(ask)
  await Promise.all(all)
  expect(order.join(' ')).toBe('first first second third first second first')
})

test('once stopped, nobody waits', async () => {
  const lanes = createHostLanes(1)
  void lanes.run(to('receiver.example', { patient: true }), () => new Promise(() => {}))
  const waiting = lanes.run(to('receiver.example', { patient: true }), sends)
  lanes.stop()
  expect(await waiting).toBeNull()
  expect(await lanes.run(to('other.example', { patient: true }), sends)).toBeNull()
})
