/** Tests the connection to mail servers: encryption, sign-in, and servers that do not respond. */
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createMailer } from '../../../src/process/mailer.ts'
import { unique } from '../../support/instance.ts'
import { startMailServer } from '../../support/mail-server.ts'

const EMAIL = {
  ...{ id: unique(), senderName: 'Analytical Engines', replyTo: null, to: 'ada@client.example.com' },
  ...{ subject: 'Test', text: 'Test', html: '<p>Test</p>', logo: null, declineUrl: null },
}
const sendTo = (url: string) => createMailer({ SMTP_URL: url, MAIL_FROM: 'a@b.example.com' })?.send(EMAIL)
/** This machine under an address that does not count as private. */
const asPublic = (port: number, scheme = 'smtp', user = '') => `${scheme}://${user}[::ffff:127.0.0.1]:${port}`

test('is off without settings', () => {
  expect(createMailer({ SMTP_URL: undefined, MAIL_FROM: undefined })).toBeNull()
})

test.each([
  'a@x.example, evil@x.example',
  'a@x.example\r\nRCPT TO:<evil@x.example>',
  'a@x.example>,<evil@x.example',
  'evil@x.example (a@x.example)',
  'group: evil@x.example;',
  '"evil@x.example"@x.example',
  '\u202ea@x.example',
  'a@x.example\0',
  '',
])('sends nothing to %j, which is not one address', async (to) => {
  const server = await startMailServer()
  const mailer = createMailer({ SMTP_URL: server.url, MAIL_FROM: 'a@b.example.com' })
  expect(await mailer?.send({ ...EMAIL, to })).toEqual({ outcome: 'refused', status: '501 5.1.3' })
  expect(server.attempts).toEqual([])
  await server.stop()
})

describe('a public mail server', () => {
  test('gets no email if it does not offer STARTTLS', async () => {
    const server = await startMailServer()
    expect(await sendTo(asPublic(server.port))).toEqual({ outcome: 'failed', status: '500' })
    expect(server.attempts).toEqual([])
    await server.stop()
  })
  test.each(['smtp', 'smtps'])('gets no email over %s if its certificate is not valid', async (scheme) => {
    const server = await startMailServer({ disabledCommands: [], secure: scheme === 'smtps' })
    const result = await sendTo(asPublic(server.port, scheme))
    expect(result?.outcome).toBe('failed')
    expect(server.attempts).toEqual([])
    await server.stop()
  })
})

describe('a private mail server', () => {
  test.each(['smtp', 'smtps'])('gets emails over %s without a valid certificate', async (scheme) => {
    const server = await startMailServer({ disabledCommands: [], secure: scheme === 'smtps' })
    expect(await sendTo(`${scheme}://localhost:${server.port}`)).toMatchObject({ outcome: 'sent' })
    await server.stop()
  })
  test('can require a user and a password, which the URL encodes', async () => {
    const server = await startMailServer({
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, done) =>
        username === 'a@b' && password === 'p%w' ? done(null, { user: username }) : done(new Error('wrong')),
    })
    const signIn = (user: string) => sendTo(`smtp://${user}@127.0.0.1:${server.port}`)
    expect(await signIn('a%40b:p%25w')).toMatchObject({ outcome: 'sent' })
    // An administrator can correct the settings, so this is not final.
    expect(await signIn('a%40b:x')).toMatchObject({ outcome: 'failed' })
    await server.stop()
  })
  test('gets the same email later if it refuses the sender', async () => {
    const server = await startMailServer({
      onMailFrom: (_address, _session, done) =>
        done(Object.assign(new Error('5.7.1 no'), { responseCode: 550 })),
    })
    expect(await sendTo(server.url)).toEqual({ outcome: 'failed', status: '550 5.7.1' })
    await server.stop()
  })
  test('that accepts the connection but does not respond ends the attempt', async () => {
    const hanging = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => hanging.once('listening', resolve))
    const { port } = hanging.address() as { port: number }
    expect(await sendTo(`smtp://127.0.0.1:${port}`)).toMatchObject({ outcome: 'failed' })
    hanging.close()
  })
  test('is checked without an email', async () => {
    const server = await startMailServer()
    const check = (url: string) => createMailer({ SMTP_URL: url, MAIL_FROM: 'a@b.example.com' })?.check()
    expect(await check(server.url)).toBeNull()
    expect(await check('smtp://127.0.0.1:1')).toBe('ESOCKET')
    expect(server.attempts).toEqual([])
    await server.stop()
  })
  test('that is not reachable ends the attempt', async () => {
    expect(await sendTo('smtp://127.0.0.1:1')).toEqual({ outcome: 'failed', status: 'ESOCKET' })
  })
})
