/** Composes the parts of a worker that do not depend on the connection to Temporal. */
import type { Client } from '@temporalio/client'
import { httpProvider } from '../../activities/http-provider.ts'
import { createActivities } from '../../activities/index.ts'
import {
  manualProvider,
  sandboxProvider,
  type VerificationProvider,
} from '../../activities/verification-provider.ts'
import { connectDatabase, type Database } from '../db/connection/database.ts'
import { connectBlobStore } from '../db/files/file.ts'
import type { Config } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import { createMailer } from '../process/mailer.ts'
import { NO_TRACING, type Tracing } from '../process/span.ts'
import { createScreener } from '../screening/adapters.ts'
import { createScreening } from '../screening/screening.ts'
import { createEncryption } from '../storage/encryption.ts'
import { createStarter } from '../temporal/starter.ts'
import { createDeliverer } from '../webhooks/deliverer.ts'
import { createDispatcher } from '../webhooks/dispatcher.ts'
import { createLookUps } from '../webhooks/dns-lookups.ts'
import { createEgress } from '../webhooks/egress.ts'
import { createLeases } from '../webhooks/leases.ts'
import { createResolver } from '../webhooks/resolver.ts'
import { countFileRequests, measureSpans, workerMetrics } from './metrics.ts'

export function composeWorkerParts(config: Config, log: Logger, temporal: Client, tracing: Tracing) {
  const { DATABASE_URL, WEBHOOK_ALLOW_PRIVATE: allowPrivate, WEBHOOK_CA_FILE: caFile } = config
  const encryption = createEncryption(config)
  const db = connectDatabase(DATABASE_URL, encryption, log, { span: tracing.root })
  // Uses separate connections for deliveries, so that some always remain for commands.
  const deliveryDb = connectDatabase(DATABASE_URL, encryption, log, { connections: 8, span: tracing.root })
  const { registry, attempted, measured } = workerMetrics({ worker: db, deliveries: deliveryDb })
  if (tracing !== NO_TRACING) measureSpans(registry, tracing)
  const names = createResolver()
  const leases = createLeases({ db: deliveryDb, log })
  const deliverer = createDeliverer({
    db: deliveryDb,
    leases,
    egress: createEgress({ allowPrivate, caFile, resolve: names }),
    // If private addresses are allowed, the operating system resolves names.
    lookUp: allowPrivate ? async () => {} : createLookUps(names),
    log,
    onAttempted: attempted,
  })
  const starter = createStarter({ db, temporal, log })
  const dispatcher = createDispatcher({ db: deliveryDb, temporal, deliverer, log })
  const screener = createScreener(config)
  const screening = createScreening({ db, screener, log })
  const activities = createActivities({
    db,
    blobs: countFileRequests(registry, connectBlobStore(db, config)),
    temporal,
    starter,
    dispatcher,
    deliverer,
    leases,
    provider: verificationProvider(config, db),
    verificationAnswerHours: config.VERIFICATION_ANSWER_HOURS,
    verificationLimits: {
      perVerification: config.RATE_LIMIT_VERIFICATION_CHECKS,
      perVault: config.RATE_LIMIT_VAULT_CHECKS,
    },
    screening,
    mailer: createMailer(config),
    unfinishedDays: config.UNFINISHED_RETENTION_DAYS,
    emailLimits: { perAddress: config.RATE_LIMIT_ADDRESS_EMAILS, perVault: config.RATE_LIMIT_VAULT_EMAILS },
    publicUrl: config.PUBLIC_URL,
    webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
    log,
  })
  return {
    ...{ db, deliveryDb, registry, starter, dispatcher, deliverer, leases, screener, screening },
    activities: measured(activities),
  }
}

function verificationProvider(config: Config, db: Database): VerificationProvider {
  const { VERIFICATION_PROVIDER_URL: url, VERIFICATION_PROVIDER_SECRET: secret } = config
  if (config.VERIFICATION_PROVIDER === 'http' && url && secret) {
    // Allows private addresses, because the administrator sets this URL.
    const egress = createEgress({ allowPrivate: true, caFile: config.WEBHOOK_CA_FILE })
    return httpProvider({ db, egress, url, secret, publicUrl: config.PUBLIC_URL })
  }
  return config.VERIFICATION_PROVIDER === 'sandbox'
    ? sandboxProvider(config.SANDBOX_CHECK_DELAY_MS)
    : manualProvider
}
