/** Tests which requests may wait for the events of a vault, without a database. */
import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/connection/database.ts'
import { createLogger } from '../../../src/process/log.ts'
import { createFeedWatch } from '../../../src/webhooks/feed-watch.ts'

const PLACES = 100

/** Returns a function that waits as this caller, and the results by caller in the order in which the waits end. */
function watch() {
  const feed = createFeedWatch({ db: {} as Database, log: createLogger('silent', 'test') })
  const ended: string[] = []
  const { signal } = new AbortController()
  const wait = (caller: string, vaultId = 'a') => {
    const waiting = feed.wait({ vaultId, caller, position: 0 }, 60_000, signal)
    void waiting.then((hasWaited) => ended.push(`${caller} ${hasWaited}`))
  }
  return { wait, ended, stop: () => feed.stop(), settled: () => new Promise(setImmediate) }
}

test.each([
  ['a caller that has one place', 1, 'consumer', ['reader true']],
  ['a caller that has none', 0, 'consumer', ['reader true']],
  ['the caller that has most places', 0, 'reader', ['reader false']],
  ['a caller that has almost as many', PLACES / 2 - 1, 'consumer', ['reader true']],
  ['a caller that has as many', PLACES / 2, 'consumer', ['consumer false']],
])('if all places of a vault are taken, %s gets the place that is fair', async (_, own, next, expected) => {
  const { wait, ended, stop, settled } = watch()
  for (let n = 0; n < PLACES; n++) wait(n < own ? 'consumer' : 'reader')
  wait('other', 'b')
  await settled()
  expect(ended).toEqual([])
  wait(next)
  await settled()
  expect(ended).toEqual(expected)
  stop()
})
