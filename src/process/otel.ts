/** Exports traces with OpenTelemetry. Loaded only if tracing is on. Its libraries read the other `OTEL_*` variables. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { Config } from './config.ts'
import { type Logger, throttled } from './log.ts'
import type { Span, SpanCounts, Tracing } from './span.ts'

/** The time limit for exporting the remaining spans before the process ends. */
const STOP_MS = 3_000
/** The default of `OTEL_BSP_MAX_QUEUE_SIZE` in the standard. */
const MAX_QUEUED = 2_048
const WARNING_INTERVAL_MS = 60_000

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

export function createTracing(
  protocol: Config['OTEL_EXPORTER_OTLP_PROTOCOL'],
  serviceName: string,
  log: Logger,
): Tracing {
  const counts: SpanCounts = { exported: 0, failed: 0, dropped: 0 }
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter()
  const provider = new BasicTracerProvider({
    // The `OTEL_*` variables override these attributes. Log lines contain the same host and process.
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'host.name': hostname(),
      'process.pid': process.pid,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [countingProcessor(exporter, counts, log)],
  })
  const tracer = provider.getTracer('gatehouse')
  return {
    root: { traceparent: null, logFields: {}, start: starter(tracer, ROOT_CONTEXT), end: () => {} },
    counts,
    async stop() {
      const done = provider.shutdown().catch(() => {})
      await Promise.race([done, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/**
 * Creates a processor that counts the spans, because the library reports lost spans only to its own log, which is off.
 */
function countingProcessor(exporter: SpanExporter, counts: SpanCounts, log: Logger): SpanProcessor {
  const maxQueueSize = Number(process.env.OTEL_BSP_MAX_QUEUE_SIZE) || MAX_QUEUED
  let queued = 0
  const warn = throttled(
    (err) =>
      log.warn({ ...(err !== null && { err }), ...counts }, 'spans were not exported; check the collector'),
    WARNING_INTERVAL_MS,
  )
  const batches = new BatchSpanProcessor(
    {
      export(spans, onResult) {
        queued -= spans.length
        exporter.export(spans, (result) => {
          counts[result.error ? 'failed' : 'exported'] += spans.length
          if (result.error) warn(result.error)
          onResult(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
    { maxQueueSize },
  )
  return {
    onStart: () => {},
    onEnd(span) {
      if (queued >= maxQueueSize) {
        counts.dropped += 1
        return warn(null)
      }
      queued += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}

/** Returns the function that starts children of the span in `context`. The context is passed on explicitly. */
function starter(tracer: Tracer, context: Context): Span['start'] {
  return (name, { kind, attributes, parent, links = [], startedAt } = {}) => {
    const started = tracer.startSpan(
      name,
      {
        kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
        ...(attributes && { attributes }),
        ...(startedAt && { startTime: startedAt }),
        links: links.flatMap((each) => (each === null ? [] : [linkTo(each)])),
      },
      parent == null ? context : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)),
    )
    const { traceId, spanId, traceFlags } = started.spanContext()
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      logFields: { trace_id: traceId, span_id: spanId },
      start: starter(tracer, trace.setSpan(ROOT_CONTEXT, started)),
      end({ name: newName, attributes: added, error } = {}) {
        if (newName !== undefined) started.updateName(newName)
        if (added) started.setAttributes(added)
        if (error !== undefined) {
          started.setAttribute('error.type', typeOf(error))
          if (!isRefusal(error)) started.setStatus({ code: SpanStatusCode.ERROR })
        }
        started.end()
      },
    }
  }
}

const linkTo = (traceparent: string): Link => ({ context: contextOf(traceparent) })

function contextOf(traceparent: string) {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

/** Returns true for an error that the caller caused. Such an error must not count as a failure of Gatehouse. */
function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown }
  return typeof status === 'number' && status < 500
}

/** Returns the type of an error without its message, which can quote values. */
function typeOf(error: unknown): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
