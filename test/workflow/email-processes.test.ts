/** Tests that three workers share the emails, and that a killed one causes only the documented repetitions. */
import { expect, test } from 'vitest'
import { startWithEmails } from '../support/email-instance.ts'
import { eventually } from '../support/instance.ts'

const { server, gatehouse, start, statusOf } = await startWithEmails()

/** The maximum number of emails that one worker sends at the same time. */
const AT_ONCE = 5
const EMAILS = 30

test('three workers send each email once, except those that a killed one was sending', async () => {
  const workers = await Promise.all([1, 2, 3].map(() => gatehouse.spawnWorker()))
  const held = server.hold()
  const started = await Promise.all(Array.from({ length: EMAILS }, start))
  // The server has these emails, but the workers do not get its responses.
  await eventually(() => expect(server.received).toHaveLength(workers.length * AT_ONCE))
  const unanswered = new Set(server.received.flatMap(({ to }) => to))
  workers[0]?.kill('SIGKILL')
  held.release()
  for (const { id } of started) await eventually(async () => expect(await statusOf(id)).toBe('sent'))
  const copies = started.map(({ email }) => server.receivedBy(email))
  expect(copies.every((each) => each.length === 1 || each.length === 2)).toBe(true)
  const twice = copies.filter((each) => each.length === 2)
  expect(twice.length).toBeLessThanOrEqual(AT_ONCE)
  for (const [first, second] of twice) {
    expect(unanswered).toContain(first?.to[0])
    expect(second?.headers['message-id']).toBe(first?.headers['message-id'])
  }
})
