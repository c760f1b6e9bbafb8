/** Who waits for a host: a burst flows, one that stands still is left to those who are patient. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostLanes } from '../../src/webhooks/host-lanes.ts'

const URL = 'https://receiver.example/hook'

test('a burst to a quick host takes its turns, however long the queue, so many at a time', async () => {
  const lanes = createHostLanes(5)
  let [active, most] = [0, 0]
  const send = async () => {
    most = Math.max(most, ++active)
    await sleep(50)
    active -= 1
    return 'sent'
  }
  const all = Array.from({ length: 200 }, () => lanes.run(URL, () => false, send))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['sent']))
  expect(most).toBe(5)
})

test('a host that stands still is waited for by the patient alone, and another host is not', async () => {
  const lanes = createHostLanes(1)
  let open = () => {}
  const hanging = lanes.run(
    URL,
    () => false,
    () => new Promise<string>((resolve) => (open = () => resolve('late'))),
  )
  const impatient = lanes.run(
    URL,
    () => false,
    async () => 'sent',
  )
  const patient = lanes.run(
    URL,
    () => true,
    async () => 'sent',
  )
  expect(
    await lanes.run(
      'https://other.example',
      () => false,
      async () => 'sent',
    ),
  ).toBe('sent')
  expect(await impatient).toBeNull()
  open()
  expect([await hanging, await patient]).toEqual(['late', 'sent'])
})

test('once stopped, nobody waits', async () => {
  const lanes = createHostLanes(1)
  void lanes.run(
    URL,
    () => true,
    () => new Promise(() => {}),
  )
  const waiting = lanes.run(
    URL,
    () => true,
    async () => 'sent',
  )
  lanes.stop()
  expect(await waiting).toBeNull()
  expect(
    await lanes.run(
      'https://other.example',
      () => true,
      async () => 'sent',
    ),
  ).toBeNull()
})
