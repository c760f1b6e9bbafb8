/** Lists all routes for clients and for operators. */

import type { Config } from '../../process/config.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'
import type { Route } from '../routing/route.ts'
import { adminActionRoutes } from './admin-action.ts'
import { apiKeyRoutes } from './api-key.ts'
import { assignmentRoutes } from './assignment.ts'
import { auditRoutes } from './audit.ts'
import { beneficiaryRoutes } from './beneficiary.ts'
import { commentTemplateRoutes } from './comment-template.ts'
import { deliveryRoutes } from './delivery.ts'
import { erasureRoutes } from './erasure.ts'
import { eventRoutes } from './event.ts'
import { eventFeedRoutes } from './event-feed.ts'
import { figureRoutes } from './figures.ts'
import { fileRoutes } from './file.ts'
import { holdRoutes } from './hold.ts'
import { identificationRoutes } from './identification.ts'
import { identificationCreationRoutes } from './identification-creation.ts'
import { kybApplicationRoutes } from './kyb-application.ts'
import { kybFileRoutes } from './kyb-file.ts'
import { operatorGroupRoutes } from './operator-group.ts'
import { sandboxPaymentRoutes } from './payment.ts'
import { profileRoutes } from './profile.ts'
import { profileSchemaRoutes } from './profile-schema.ts'
import { queueRoutes } from './queue.ts'
import { queueFilterRoutes } from './queue-filter.ts'
import { reviewRoutes, sandboxReviewRoutes } from './review.ts'
import { reviewMarkRoutes } from './review-mark.ts'
import { screeningHitRoutes } from './screening-hit.ts'
import { sessionRoutes } from './session.ts'
import { timelineRoutes } from './timeline.ts'
import { userRoutes } from './user.ts'
import { ownOtpRoutes, userOtpRoutes } from './user-otp.ts'
import { vaultRoutes } from './vault.ts'
import { webhookLogRoutes } from './webhook-log.ts'
import { webhookSettingRoutes } from './webhook-setting.ts'
import { webhookUrlRoutes } from './webhook-url.ts'

type RouteSettings = Pick<Config, 'ENVIRONMENT' | 'WEBHOOK_ALLOW_PRIVATE'>

export const createRoutes = (settings: RouteSettings): Record<Audience, readonly Route[]> => ({
  client: [
    ...sessionRoutes('client'),
    ...ownOtpRoutes,
    ...kybApplicationRoutes,
    ...kybFileRoutes,
    ...beneficiaryRoutes,
    ...identificationCreationRoutes(settings),
    ...identificationRoutes,
    ...profileSchemaRoutes,
    ...webhookSettingRoutes(settings),
    ...webhookUrlRoutes,
    ...webhookLogRoutes,
    ...eventFeedRoutes,
    ...(settings.ENVIRONMENT === 'sandbox' ? SANDBOX : []),
  ],
  operator: [
    ...sessionRoutes('operator'),
    ...ownOtpRoutes,
    ...reviewRoutes,
    ...holdRoutes,
    ...fileRoutes,
    ...queueRoutes,
    ...vaultRoutes,
    ...profileRoutes,
    ...apiKeyRoutes,
    ...userRoutes,
    ...userOtpRoutes,
    ...operatorGroupRoutes,
    ...auditRoutes,
    ...erasureRoutes,
    ...adminActionRoutes,
    ...eventRoutes,
    ...timelineRoutes,
    ...assignmentRoutes,
    ...deliveryRoutes,
    ...figureRoutes,
    ...screeningHitRoutes,
    ...reviewMarkRoutes,
    ...commentTemplateRoutes,
    ...queueFilterRoutes,
  ],
})

const SANDBOX = [...sandboxReviewRoutes, ...sandboxPaymentRoutes]
