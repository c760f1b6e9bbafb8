/** A webhook receiver that uses Stripe's library. Run it with `node receiver-stripe.ts` (Node.js 22.18 or later). */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import Stripe from 'stripe'

interface Event {
  event: string
  attributes: Record<string, unknown>
}

const secret = process.env.WEBHOOK_SECRET ?? ''
const server = createServer(async (req, res) => {
  try {
    const header = String(req.headers['service-signature'])
    const body: unknown = Stripe.webhooks.constructEvent(await buffer(req), header, secret)
    const { data, error } = body as { data?: Event; error?: Event }
    const { event, attributes } = (data ?? error) as Event
    res.writeHead(200).end()
    console.log(event, attributes.status, attributes.event_id)
  } catch {
    res.writeHead(401).end()
  }
})
server.listen(Number(process.env.PORT ?? 8000))
