/** Turns on tracing if the settings require it. */
import type { Config } from './config.ts'
import type { Logger } from './log.ts'
import { NO_TRACING, type Tracing } from './span.ts'

/** Starts tracing if the endpoint of a collector is set and `OTEL_SDK_DISABLED` is not. */
export async function startTracing(config: Config, serviceName: string, log: Logger): Promise<Tracing> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || config.OTEL_SDK_DISABLED) return NO_TRACING
  const { createTracing } = await import('./otel.ts')
  return createTracing(config.OTEL_EXPORTER_OTLP_PROTOCOL, serviceName, log)
}
