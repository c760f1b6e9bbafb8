/** Composes an API from its settings, for the process and for tests. */

import { createApp } from '../api/app.ts'
import { readSigningKeys } from '../db/access/signing-key.ts'
import { connectDatabase } from '../db/connection/database.ts'
import { listen } from '../db/connection/notification.ts'
import { connectBlobStore } from '../db/files/file.ts'
import type { RouteDeps } from '../http/deps.ts'
import { healthRoutes } from '../http/health.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { createIdentityProvider } from '../oidc/identity-provider.ts'
import { hostedPages } from '../pages/hosted-pages.tsx'
import { specifiedTexts } from '../pages/texts/index.ts'
import { type Config, temporalOf } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import { NO_TRACING, type Tracing } from '../process/span.ts'
import { createScreener } from '../screening/adapters.ts'
import { createScreening } from '../screening/screening.ts'
import { createEncryption } from '../storage/encryption.ts'
import { connectTemporal } from '../temporal/client.ts'
import { createGateway, DEADLINE_MS } from '../temporal/gateway.ts'
import { createAuthentication } from '../use-cases/access/authentication.ts'
import { createRequestLimit } from '../use-cases/access/request-limit.ts'
import { createTokens } from '../use-cases/credentials/tokens.ts'
import { createAttempts } from '../use-cases/limits/attempts.ts'
import { createConcurrencyLimit, createSharedLimit } from '../use-cases/limits/concurrency-limit.ts'
import { createCounter } from '../use-cases/limits/counter.ts'
import { createRates } from '../use-cases/limits/rates.ts'
import { createStorageQuota } from '../use-cases/limits/storage-quota.ts'
import { ATTEMPTS, limitsOf, READS, SLOTS } from '../use-cases/limits/table.ts'
import { createFigures } from '../use-cases/review/figures.ts'
import { createEgress } from '../webhooks/egress.ts'
import { createFeedWatch } from '../webhooks/feed-watch.ts'
import { createNotifier } from '../webhooks/notifier.ts'
import { createPublisher } from '../webhooks/publisher.ts'
import { measureDependencies, measureUpkeep } from './deployment-metrics.ts'
import { apiMetrics, countFileRequests, measureSpans } from './metrics.ts'
import { databaseReadiness, temporalReadiness } from './readiness.ts'

interface ComposeOptions {
  /** Replaces the dependencies of the routes in tests. */
  readonly wrap?: (deps: RouteDeps) => RouteDeps
  /** The time limit for commands and for each query, after which the response is 503. */
  readonly deadlineMs?: number
  readonly tracing?: Tracing
}

export function composeApi(
  config: Config,
  log: Logger,
  { wrap = (deps) => deps, deadlineMs = DEADLINE_MS, tracing = NO_TRACING }: ComposeOptions = {},
) {
  const encryption = createEncryption(config)
  const db = connectDatabase(config.DATABASE_URL, encryption, log, {
    queryMs: deadlineMs,
    span: tracing.root,
  })
  const temporal = connectTemporal({ ...temporalOf(config), callMs: deadlineMs })
  const { registry, answered, measured, limitReached } = apiMetrics(db, limitsOf(config))
  const blobs = countFileRequests(registry, connectBlobStore(db, config))
  if (tracing !== NO_TRACING) measureSpans(registry, tracing)
  const gateway = measured(createGateway({ db, temporal, log, deadlineMs }))
  const notifier = createNotifier({ db, log })
  const tokens = createTokens(() => readSigningKeys(db, config.TOKEN_ROTATION_DAYS), config.ENVIRONMENT)
  const egress = createEgress({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, caFile: config.WEBHOOK_CA_FILE })
  const feedWatch = createFeedWatch({ db, log })
  const screening = createScreening({ db, screener: createScreener(config), log })
  const identityProvider = createIdentityProvider(config)
  const { authenticate, forgetCallers } = createAuthentication({ db, tokens, config, identityProvider })
  const news = listen(config.DATABASE_URL, 'access', forgetCallers, log)
  const deps = wrap({
    config,
    db,
    blobs,
    temporal,
    gateway,
    notifier,
    egress,
    screening,
    tokens,
    identityProvider,
    publisher: createPublisher({ db, notifier }),
    feedWatch,
    signIns: createAttempts(db),
    kybPasswordTries: createCounter(db, 'kyb_password', ATTEMPTS.kyb_password),
    formCodes: createCounter(db, 'form_code', ATTEMPTS.form_code),
    spend: createRates(db, config, limitReached),
    quota: createStorageQuota(db, config, limitReached),
    figures: createFigures(db),
    creating: createSharedLimit(SLOTS.creations),
    authenticate,
    forgetCallers,
    limit: createRateLimit(createRequestLimit({ db, config, log }), log, config.TRUST_PROXY !== 0),
    reading: createSharedLimit(SLOTS.reading),
    changing: createConcurrencyLimit(READS),
    showing: createSharedLimit(SLOTS.pages),
    specifiedTexts,
    log,
  })
  let leaving = false
  const needs = {
    stopping: () => !leaving,
    ...databaseReadiness(db, log),
    temporal_too_old: temporalReadiness(temporal, log),
  }
  const health = healthRoutes(needs)
  measureDependencies(registry, db, needs)
  measureUpkeep(registry, db, config)
  const app = createApp(deps, hostedPages, health, answered)
  return {
    app,
    metrics: registry,
    db,
    blobs,
    temporal,
    gateway,
    notifier,
    /** Reports that the API is not ready, and ends the waits for events. The API continues to serve requests. */
    leave(): void {
      leaving = true
      feedWatch.stop()
    },
    /** Closes all connections. Must be called after the last request has finished. */
    async stop(): Promise<void> {
      feedWatch.stop()
      await news.stop()
      await notifier.idle()
      await screening.idle()
      await egress.close()
      await temporal.connection.close()
      await db.end()
      await tracing.stop()
    },
  }
}
