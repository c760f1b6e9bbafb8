/** Routes for the audit trail. */
import {
  auditListResponse,
  listAuditQuery,
  listReadsQuery,
  readsListResponse,
} from '../../contracts/audit.ts'
import { listResponse, periodOf } from '../../contracts/common.ts'
import { presenterOf } from '../../contracts/record.ts'
import type { AuditEntry } from '../../domain/access/audit.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { listAudit, listReads } from '../../use-cases/access/audit.ts'
import { type Route, route } from '../routing/route.ts'

const present = presenterOf(auditListResponse.shape.data.element)

const presentAuditEntry = ({ createdAt: at, ...entry }: AuditEntry) => present({ ...entry, at })

const presentReads = presenterOf(readsListResponse.shape.data.element)

export const auditRoutes: readonly Route[] = [
  route({
    name: 'listAuditEntries',
    at: 'GET /audit',
    role: 'read_settings',
    summary: 'List the audit trail, newest first',
    response: { 200: auditListResponse },
    query: listAuditQuery,
    handler: async ({ deps, caller, query }) => {
      const { actor, action, vault_id: vaultId } = query
      const scope = vaultsFor(caller, 'read_settings', vaultId)
      const filter = { actor, action, scope, ...periodOf(query) }
      return { body: listResponse(await listAudit(deps, filter, query), query, presentAuditEntry) }
    },
  }),
  route({
    name: 'listReads',
    at: 'GET /audit/reads',
    role: 'read_settings',
    summary: 'List what each operator read, most cases first',
    response: { 200: readsListResponse },
    query: listReadsQuery,
    handler: async ({ deps, caller, query }) => {
      const { actor, vault_id: vaultId } = query
      const filter = { actor, scope: vaultsFor(caller, 'read_settings', vaultId), ...periodOf(query) }
      return { body: listResponse(await listReads(deps, filter, query), query, presentReads) }
    },
  }),
]
