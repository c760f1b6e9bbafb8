/** Identifications (specification, "Identifications"). */
import { idParams, listAnswer, unixSeconds } from '../contracts/common.ts'
import { listIdentifications } from '../contracts/identification.ts'
import {
  findIdentification,
  type Identification,
  listIdentifications as listRows,
} from '../db/identification.ts'
import { RequestRefused } from '../domain/errors.ts'
import { identificationStatus } from '../domain/identification.ts'
import type { AppDeps } from './app.ts'
import { vaultFor } from './authentication.ts'
import { type Route, route } from './route.ts'

export const identificationRoutes = ({ db }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/identifications',
    role: 'api_read',
    query: listIdentifications,
    handler: async ({ caller, query }) => {
      const externalUuid = query['filter[external_uuid]']
      const { identifications, totalCount } = await listRows(
        db,
        vaultFor(caller, 'api_read'),
        query,
        externalUuid,
      )
      return { body: listAnswer(identifications.map(present), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/identifications/:id',
    role: 'api_read',
    params: idParams,
    handler: async ({ caller, params }) => {
      const identification = await findIdentification(db, vaultFor(caller, 'api_read'), params.id)
      if (!identification) throw new RequestRefused({ code: 'not_found' })
      return { body: { data: present(identification) } }
    },
  }),
]

const present = (identification: Identification) => ({
  id: identification.id,
  status: identificationStatus(identification.state),
  name: identification.name,
  surname: identification.surname,
  external_uuid: identification.externalUuid,
  account_id: identification.accounts[0]?.id,
  account_referral: identification.accounts[0]?.referral,
  created_at: unixSeconds(identification.createdAt),
})
