/** Tests deliveries to real receivers: accepted, partial, failed, retried, signed and over HTTPS. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorityFile, receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver, verifies } from '../support/receiver.ts'
import { attemptsOf, causeEvent, deliverTo, secretOf, settledLog } from '../support/webhook.ts'

describe('deliveries', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ca-'))
  let gatehouse: OwnInstance
  beforeAll(async () => {
    await receiverAuthority(folder)
    gatehouse = await startInstance({ env: { WEBHOOK_CA_FILE: authorityFile(folder) } })
    await gatehouse.startWorker()
  })
  afterAll(async () => {
    await gatehouse.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  let served: Promise<unknown> = Promise.resolve()
  /**
   * Causes an event for these URLs. Only one call at a time sets URLs, so that slow tests can run concurrently.
   */
  function eventFor(...urls: string[]): ReturnType<typeof causeEvent> {
    const log = served.then(async () => {
      await deliverTo(gatehouse, ...urls)
      return causeEvent(gatehouse)
    })
    served = log.catch(() => {})
    return log
  }

  test('are completed, signed and listed if the receiver accepts them', async () => {
    const receiver = await startReceiver((res) => res.writeHead(201).end('created'))
    const { id } = await eventFor(receiver.url)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.failReason, log.retries]).toEqual(['completed', null, 0])
    const [delivery] = receiver.received
    expect(delivery?.event).toBe('identification_created')
    expect(delivery && verifies(await secretOf(gatehouse), delivery)).toBe(true)
    expect(delivery && verifies('another secret', delivery)).toBe(false)
    expect(delivery?.body).toBe(log.payload)
    expect(await attemptsOf(gatehouse, id)).toMatchObject([
      { number: 1, round: 1, statusCode: 201, error: null, excerpt: 'created' },
    ])
    const { body } = await gatehouse.api.get('/webhook_logs?type=identification&status=completed')
    expect(body.data[0]).toMatchObject({
      id,
      event: 'identification',
      status: 'completed',
      fail_reason: null,
      payload: JSON.parse(log.payload),
      retries: 0,
      urls_destiny: [receiver.url],
    })
    await receiver.stop()
  })

  test('reach a receiver over HTTPS if its authority is trusted', async () => {
    const authority = await receiverAuthority(folder)
    const receiver = await startReceiver(undefined, await receiverCertificate(authority))
    const { id } = await eventFor(receiver.url)
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    expect(receiver.url).toMatch(/^https:/)
    await receiver.stop()
  })

  test.concurrent('are partial and not retried if only some receivers accept', async () => {
    const good = await startReceiver()
    const bad = await startReceiver((res) => res.writeHead(500).end('out of order'))
    const { id } = await eventFor(good.url, bad.url)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.failReason, log.retries]).toEqual(['partial', 'HTTP status 500', 0])
    const attempts = await attemptsOf(gatehouse, id)
    expect(attempts.map(({ url, statusCode }) => [url, statusCode]).sort()).toEqual(
      [
        [good.url, 200],
        [bad.url, 500],
      ].sort(),
    )
    await new Promise((resolve) => setTimeout(resolve, 11_000))
    expect([good.received.length, bad.received.length]).toEqual([1, 1])
    await good.stop()
    await bad.stop()
  })

  test.concurrent('retry three times at ten-second intervals, each time with a new signature, and then fail', async () => {
    const receiver = await startReceiver((res) => res.writeHead(202).end())
    const begunAt = Date.now()
    const { id } = await eventFor(receiver.url)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.failReason, log.retries]).toEqual(['failed', 'HTTP status 202', 3])
    expect((await attemptsOf(gatehouse, id)).map(({ number }) => number)).toEqual([1, 2, 3, 4])
    const { received } = receiver
    expect(received).toHaveLength(4)
    // A busy machine can delay each request, but none can arrive too early.
    for (const [n, { at }] of received.entries()) expect(at - begunAt).toBeGreaterThanOrEqual(n * 9_900)
    expect(new Set(received.map(({ signature }) => signature)).size).toBe(4)
    const secret = await secretOf(gatehouse)
    expect(received.every((each) => verifies(secret, each))).toBe(true)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    await receiver.stop()
  })

  test.concurrent('complete with one retry if the second attempt is accepted', async () => {
    const receiver = await startReceiver((res, nth) => res.writeHead(nth === 0 ? 503 : 200).end())
    const { id } = await eventFor(receiver.url)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.failReason, log.retries]).toEqual(['completed', null, 1])
    const secret = await secretOf(gatehouse)
    const verified = receiver.received.map(({ body, headers, attributes: { event_id } }) => {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
      expect(headers['webhook-id']).toBe(event_id)
      return headers['gatehouse-attempt']
    })
    expect(verified).toEqual(['1', '2'])
    await receiver.stop()
  })

  test.concurrent('end after ten seconds with little memory if a receiver hangs or its response never ends', async () => {
    const hanging = await startReceiver(() => {})
    const endless = await startReceiver((res) => {
      res.writeHead(200)
      const pour = () => {
        while (!res.destroyed && res.write(Buffer.alloc(16_384, 'x')));
        if (!res.destroyed) res.once('drain', pour)
      }
      pour()
    })
    const { id } = await eventFor(hanging.url, endless.url)
    expect((await settledLog(gatehouse, id)).status).toBe('partial')
    const attempts = new Map((await attemptsOf(gatehouse, id)).map((attempt) => [attempt.url, attempt]))
    expect(attempts.get(hanging.url)?.error).toBe('no complete response within 10 seconds')
    expect(attempts.get(endless.url)).toMatchObject({ error: null, excerpt: 'x'.repeat(2_048) })
    await hanging.stop()
    await endless.stop()
  })

  test('fail after a 204, a redirect, a refused connection or a name that does not resolve', async () => {
    const elsewhere = await startReceiver()
    const empty = await startReceiver((res) => res.writeHead(204).end())
    const redirect = await startReceiver((res) => res.writeHead(302, { Location: elsewhere.url }).end())
    const closed = await startReceiver()
    await closed.stop()
    const nowhere = 'http://receiver.invalid/hook'
    const { id } = await eventFor(elsewhere.url, empty.url, redirect.url, closed.url, nowhere)
    expect((await settledLog(gatehouse, id)).status).toBe('partial')
    const errors = new Map((await attemptsOf(gatehouse, id)).map(({ url, error }) => [url, error]))
    expect(errors.get(elsewhere.url)).toBeNull()
    expect(errors.get(empty.url)).toBe('HTTP status 204')
    expect(errors.get(redirect.url)).toBe('HTTP status 302')
    expect(errors.get(closed.url)).toBe('connection refused')
    expect(errors.get(nowhere)).toBe('the host name does not resolve')
    expect(elsewhere.received).toHaveLength(1)
    for (const receiver of [elsewhere, empty, redirect]) await receiver.stop()
  })

  test('keep an event whose topic has no URLs, and send it if a URL is added and a retry is requested', async () => {
    await deliverTo(gatehouse)
    const { id, payload } = await causeEvent(gatehouse)
    const path = '/webhook_logs?type=identification&status=failed&per_page=1'
    expect((await gatehouse.api.get(path)).body.data).toMatchObject([
      { id, urls_destiny: [], retries: 0, fail_reason: 'no URL was registered for the topic' },
    ])
    const own = await startReceiver()
    await deliverTo(gatehouse, own.url)
    expect((await gatehouse.api.post(`/webhook_logs/${id}/retry`)).status).toBe(200)
    expect(await settledLog(gatehouse, id)).toMatchObject({ status: 'completed', failReason: null })
    expect(own.received.map(({ body }) => body)).toEqual([payload])
    await own.stop()
  })
})
