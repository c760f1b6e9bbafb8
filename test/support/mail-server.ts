/** A mail server for tests. It stores each email, or refuses it as a test requests. */
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { eventually } from './instance.ts'

export interface ReceivedEmail {
  readonly from: string
  readonly to: readonly string[]
  /** The headers, unfolded, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The decoded parts. */
  readonly text: string
  readonly html: string
  readonly raw: string
}

type Refusal = { readonly code: number; readonly message: string }

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedEmail[] = []
  const refusals = { recipient: new Map<string, Refusal[]>(), text: new Map<string, Refusal[]>() }
  let held: Promise<void> | undefined
  /** The recipients of each attempt, including refused ones. */
  const attempts: string[] = []
  const refusalOf = (of: Map<string, Refusal[]>, address: string) => {
    const next = of.get(address)?.shift()
    return next ? Object.assign(new Error(next.message), { responseCode: next.code }) : null
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      attempts.push(address)
      done(refusalOf(refusals.recipient, address))
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((raw) => {
        const to = envelope.rcptTo.map(({ address }) => address)
        const refusal = refusalOf(refusals.text, to[0] ?? '')
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        if (!refusal) received.push({ from, to, ...parsed(raw), raw })
        void (held ?? Promise.resolve()).then(() => done(refusal))
        // A killed sender closes the connection within an email, which is then not received.
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as { port: number }

  const receivedBy = (address: string) => received.filter(({ to }) => to.includes(address))
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    attempts,
    receivedBy,
    /** Waits until the address has received this many emails, and returns the newest one. */
    untilReceived: (address: string, count = 1): Promise<ReceivedEmail> =>
      eventually(() => {
        const found = receivedBy(address)[count - 1]
        if (!found) throw new Error(`${address} has not received ${count} emails`)
        return found
      }),
    /** Refuses the next attempts for the address, one for each refusal. */
    refuse: (address: string, at: 'recipient' | 'text', ...next: readonly Refusal[]) =>
      refusals[at].set(address, [...next]),
    /** Delays the response to each email until the result is released. */
    hold: () => {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return {
        release: () => {
          held = undefined
          release()
        },
      }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Returns the parts, including those within other parts. */
function partsOf(contentType: string, content: string): Part[] {
  const boundary = /boundary="([^"]+)"/.exec(contentType)?.[1]
  if (boundary === undefined) return []
  return content.split(`--${boundary}`).flatMap((raw) => {
    const part = partOf(raw)
    return [part, ...partsOf(part.type, part.content)]
  })
}

/** Parses an email as nodemailer writes it. */
function parsed(raw: string): Pick<ReceivedEmail, 'headers' | 'text' | 'html'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = headersOf(head)
  const parts = partsOf(headers['content-type'] ?? '', rest.join('\r\n\r\n'))
  const of = (type: string) => parts.find((part) => part.type.startsWith(type))?.content ?? ''
  return { headers, text: of('text/plain'), html: of('text/html') }
}

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .trim()
      .split('\r\n')
      .map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())]
      }),
  )

interface Part {
  readonly type: string
  readonly content: string
}

function partOf(raw: string): Part {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const { 'content-type': type = '', 'content-transfer-encoding': encoding = '' } = headersOf(head)
  const content = body.join('\r\n\r\n')
  if (encoding === 'base64') return { type, content: Buffer.from(content, 'base64').toString() }
  return {
    type,
    content: encoding === 'quoted-printable' ? fromQuoted(content.replace(/=\r\n/g, '')) : content,
  }
}

const fromQuoted = (value: string): string =>
  decodeURIComponent(value.replaceAll('%', '%25').replace(/=([0-9A-F]{2})/g, '%$1'))

/** Decodes words of RFC 2047. */
const decodeWords = (value: string): string =>
  value
    .replace(/\?= +=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : fromQuoted(word.replaceAll('_', ' ')),
    )
