/** An OpenTelemetry collector that decodes OTLP in JSON. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from './instance.ts'
import { wholeBody } from './whole-body.ts'

/** A value of an attribute, as OTLP encodes it. */
interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
}

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
}

type Respond = (res: ServerResponse) => void

const accept: Respond = (res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')

export async function startCollector(respond: Respond = accept) {
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (req, res) => {
    const body = await wholeBody(req)
    if (!body) return
    bodies.push(body.toString('utf8'))
    headers.push(req.headers)
    respond(res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const spans = (): CollectedSpan[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: CollectedSpan[] }[] }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return {
    /** The settings of a process that exports to this collector without delay. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    bodies,
    headers,
    spans,
    /** Waits for a span that matches. */
    waitFor: (isWanted: (span: CollectedSpan) => boolean, what: string): Promise<CollectedSpan> =>
      eventually(() => {
        const found = spans().find(isWanted)
        if (!found) throw new Error(`no ${what}, only ${[...new Set(spans().map(({ name }) => name))]}`)
        return found
      }),
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the value of an attribute, or null. */
export function attributeOf(span: Pick<CollectedSpan, 'attributes'>, key: string): string | null {
  const value = span.attributes.find((each) => each.key === key)?.value
  return value === undefined ? null : String(value.stringValue ?? value.intValue)
}
