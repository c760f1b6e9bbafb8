/** What administrators did. */
import { auditListAnswer, listAuditQuery } from '../../contracts/audit.ts'
import { listAnswer, periodOf, unixSeconds } from '../../contracts/common.ts'
import { type AuditEntry, listAudit } from '../../db/access/audit.ts'
import { type Route, route } from '../route.ts'

export const auditRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/audit',
    role: 'operator_admin',
    summary: 'List what administrators did, newest first',
    response: { 200: auditListAnswer },
    query: listAuditQuery,
    handler: async ({ deps: { db }, query }) => {
      const { actor, action, vault_id: vaultId } = query
      const filter = { actor, action, vaultId, ...periodOf(query) }
      const { entries, totalCount } = await listAudit(db, query, filter)
      return { body: listAnswer(entries.map(present), totalCount, query) }
    },
  }),
]

const present = (entry: AuditEntry) => ({
  id: entry.id,
  at: unixSeconds(entry.createdAt),
  action: entry.action,
  actor: entry.actor,
  address: entry.address,
  vault_id: entry.vaultId,
  subject: entry.subject,
  subject_id: entry.subjectId,
  changes: entry.changes,
  count: entry.count,
})
