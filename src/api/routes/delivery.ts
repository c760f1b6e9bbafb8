/** What was sent to a client about an application or identification, for operators. */
import { idParams, listAnswer } from '../../contracts/common.ts'
import { deliveryListAnswer, listDeliveriesQuery } from '../../contracts/webhook.ts'
import { listDeliveries } from '../../db/webhooks/delivery.ts'
import type { Entity } from '../../domain/entity.ts'
import { ofAnyVault } from '../../use-cases/cases/entity-ref.ts'
import { presentAttempt, presentLog } from '../presenters/webhook-log.ts'
import { type Route, route } from '../route.ts'

const deliveriesOf = (path: string, entity: Entity): Route =>
  route({
    method: 'get',
    path,
    role: 'operator_review',
    summary: 'List the deliveries about it with their attempts, newest first',
    response: { 200: deliveryListAnswer },
    params: idParams,
    query: listDeliveriesQuery,
    handler: async ({ deps: { db }, params: { id }, query }) => {
      const target = await ofAnyVault(db, entity, id)
      const { deliveries, totalCount } = await listDeliveries(db, target, query)
      const shown = deliveries.map((delivery) => ({
        ...presentLog(delivery),
        attempts: delivery.attempts.map(presentAttempt),
      }))
      return { body: listAnswer(shown, totalCount, query) }
    },
  })

export const deliveryRoutes: readonly Route[] = [
  deliveriesOf('/kyb/:id/deliveries', 'kyb'),
  deliveriesOf('/identifications/:id/deliveries', 'identification'),
]
