/** Tests that handshakes with receivers do not block the event loop together. */
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { limitHandshake } from '../../../src/webhooks/handshake.ts'

function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('lets other work run between slow handshakes', async () => {
  const happened: string[] = []
  const sockets = Array.from({ length: 5 }, () => new PassThrough())
  for (const socket of sockets) {
    const { stream } = limitHandshake(socket as unknown as Socket)
    stream.on('data', () => {
      busy(30)
      happened.push('handshake')
    })
  }
  for (const socket of sockets) socket.write('certificates')
  while (happened.filter((each) => each === 'handshake').length < sockets.length) {
    await setImmediate()
    if (happened.at(-1) === 'handshake') happened.push('other')
  }
  expect(happened).toEqual(sockets.flatMap(() => ['handshake', 'other']))
})

test('keeps the order of data when the handshake is complete', async () => {
  const socket = new PassThrough()
  const { stream, complete } = limitHandshake(socket as unknown as Socket)
  let received = ''
  stream.on('data', (chunk) => {
    received += chunk
    if (received === 'a') complete()
    busy(30)
  })
  const ended = new Promise((resolve) => stream.on('end', resolve))
  for (const part of ['a', 'b', 'c']) {
    socket.write(part)
    await setImmediate()
  }
  socket.end('d')
  await ended
  expect(received).toBe('abcd')
})
