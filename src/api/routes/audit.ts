/** Routes for the audit trail. */

import { auditListResponse, listAuditQuery } from '../../contracts/audit.ts'
import { listResponse, periodOf } from '../../contracts/common.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { listAudit } from '../../use-cases/access/audit.ts'
import { presentAuditEntry } from '../presenters/audit.ts'
import { type Route, route } from '../routing/route.ts'

export const auditRoutes: readonly Route[] = [
  route({
    name: 'listAuditEntries',
    method: 'get',
    path: '/audit',
    role: 'read_settings',
    summary: 'List the audit trail, newest first',
    response: { 200: auditListResponse },
    query: listAuditQuery,
    handler: async ({ deps, caller, query }) => {
      const { actor, action, vault_id: vaultId } = query
      const scope = vaultsFor(caller, 'read_settings', vaultId)
      const filter = { actor, action, scope, ...periodOf(query) }
      const { entries, totalCount } = await listAudit(deps, filter, query)
      return { body: listResponse(entries.map(presentAuditEntry), totalCount, query) }
    },
  }),
]
