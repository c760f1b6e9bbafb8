/** Routes for the webhook deliveries about an application or identification, for operators. */
import { listResponse } from '../../contracts/common.ts'
import {
  deliveryListResponse,
  deliveryParams,
  deliveryRetriedResponse,
  listDeliveriesQuery,
  retryWebhookLogBody,
} from '../../contracts/webhook.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { listDeliveries, retryDelivery } from '../../use-cases/webhooks/deliveries.ts'
import { presentDelivery } from '../presenters/webhook-log.ts'
import { entityRoutes } from '../routing/entity-routes.ts'
import { route } from '../routing/route.ts'

export const deliveryRoutes = entityRoutes((noun, path, entity) => [
  route({
    name: `list${noun}Deliveries`,
    at: `GET ${path}/deliveries`,
    role: 'read_cases',
    summary: 'List the webhook deliveries of the case with their attempts, newest first',
    response: { 200: deliveryListResponse },
    query: listDeliveriesQuery,
    handler: async ({ deps, caller, by, params: { id }, query }) => {
      const listed = await listDeliveries(deps, caller, by, { entity, id }, query)
      return { body: listResponse(listed, query, presentDelivery) }
    },
  }),
  route({
    name: `retry${noun}Delivery`,
    at: `POST ${path}/deliveries/:delivery_id/retry`,
    role: 'decide',
    summary: 'Send a webhook delivery of the case again',
    retryGuidance: 'delivery',
    errors: retryDelivery.refuses,
    response: { 200: deliveryRetriedResponse },
    params: deliveryParams,
    body: retryWebhookLogBody,
    handler: async ({ deps, caller, params: { id, delivery_id: deliveryId }, body }) => {
      const target = await findTarget(deps, caller, 'decide', entity, id)
      await retryDelivery(deps, caller.actor, target, { deliveryId, onlyFailed: body.only_failed })
      return { body: { message: 'Delivery is sent again' } }
    },
  }),
])
