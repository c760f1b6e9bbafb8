/** A webhook receiver without dependencies. Run it with `node receiver.ts` (Node.js 22.18 or later). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const SECRET = process.env.WEBHOOK_SECRET ?? ''
if (SECRET === '') throw new Error('Set WEBHOOK_SECRET.')

function isGenuine(header: string, body: Buffer): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= 300)) return false
  const expected = Buffer.from(createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex'))
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(value)
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

interface Event {
  event: string
  attributes: Record<string, unknown>
}

async function readBody(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    chunks.push(chunk)
    size += chunk.length
    if (size > 1_000_000) return null
  }
  return Buffer.concat(chunks)
}

// In production, store events in a table with a unique event_id. Gatehouse does not repeat a delivery that got 200.
const seen = new Set<unknown>()

async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readBody(req)
  if (!body || !isGenuine(String(req.headers['service-signature']), body)) {
    res.writeHead(401).end()
    return
  }
  const { data, error } = JSON.parse(body.toString('utf8'))
  const event: Event = data ?? error
  const id = event.attributes.event_id
  const isNew = !seen.has(id)
  seen.add(id)
  res.writeHead(200).end()
  // Process the event after the response.
  if (isNew) console.log(event.event, event.attributes.status, event.attributes.event_id)
}

const server = createServer((req, res) => {
  // Rejects if the sender closed the connection.
  receive(req, res).catch(() => res.destroy())
})
server.listen(Number(process.env.PORT ?? 8000))
