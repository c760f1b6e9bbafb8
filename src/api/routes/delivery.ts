/** Routes for the webhook deliveries about an application or identification, for operators. */
import { idParams, listResponse } from '../../contracts/common.ts'
import { deliveryListResponse, listDeliveriesQuery } from '../../contracts/webhook.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { byOf } from '../../http/address.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import { presentDelivery } from '../presenters/webhook-log.ts'
import { type Route, route } from '../routing/route.ts'

const deliveriesOf = (name: string, path: string, entity: Entity): Route =>
  route({
    name,
    method: 'get',
    path,
    role: 'read_cases',
    summary: 'List the webhook deliveries of the case with their attempts, newest first',
    response: { 200: deliveryListResponse },
    params: idParams,
    query: listDeliveriesQuery,
    handler: async ({ deps, caller, req, params: { id }, query }) => {
      const by = byOf(caller, req)
      const { deliveries, totalCount } = await listDeliveries(deps, caller, by, { entity, id }, query)
      return { body: listResponse(deliveries.map(presentDelivery), totalCount, query) }
    },
  })

export const deliveryRoutes: readonly Route[] = [
  deliveriesOf('listKybDeliveries', '/kyb/:id/deliveries', 'kyb'),
  deliveriesOf('listIdentificationDeliveries', '/identifications/:id/deliveries', 'identification'),
]
