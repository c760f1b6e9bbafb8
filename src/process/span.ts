/**
 * Defines the spans of traces. Code passes the current span explicitly, in the database handle. While tracing is off,
 * every span is `NO_SPAN`, and no module of OpenTelemetry is loaded.
 */

/** The attributes of a span: IDs, kinds and numbers, but no personal data. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes?: Attributes
  /** The `traceparent` of the parent, if the parent is not the current span. */
  readonly parent?: string | null
  /** The `traceparent` of each span in another trace to which this span is linked. */
  readonly links?: readonly (string | null)[]
  readonly startedAt?: Date
}

interface SpanEnd {
  /** The final name of the span, which replaces the first one. */
  readonly name?: string
  readonly attributes?: Attributes
  readonly error?: unknown
}

export interface Span {
  /** The W3C `traceparent` with which another process continues this span, or null if there is none. */
  readonly traceparent: string | null
  /** The fields to add to log lines. */
  readonly logFields: { readonly trace_id?: string; readonly span_id?: string }
  /** Starts a child span. If this span has no `traceparent`, starts a new trace instead. */
  start(name: string, options?: SpanOptions): Span
  end(end?: SpanEnd): void
}

export const NO_SPAN: Span = Object.freeze({
  traceparent: null,
  logFields: Object.freeze({}),
  start: () => NO_SPAN,
  end: () => {},
})

/**
 * The number of spans that the collector received, and the number of spans that were lost because of a failure or a
 * full queue.
 */
export type SpanCounts = Record<'exported' | 'failed' | 'dropped', number>

export interface Tracing {
  /** Starts traces, but is not a span itself. */
  readonly root: Span
  readonly counts: Readonly<SpanCounts>
  /** Exports the remaining spans, which takes a few seconds at most. */
  stop(): Promise<void>
}

export const NO_TRACING: Tracing = {
  root: NO_SPAN,
  counts: { exported: 0, failed: 0, dropped: 0 },
  stop: async () => {},
}

/** Runs `work` in a child span of `parent`. The span ends with the work. */
export async function inSpan<T>(
  parent: Span,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = parent.start(name, options)
  if (span === NO_SPAN) return work(span)
  try {
    const result = await work(span)
    span.end()
    return result
  } catch (error) {
    span.end({ error })
    throw error
  }
}
