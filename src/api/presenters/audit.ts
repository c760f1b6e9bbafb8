/** Presents an entry of the audit trail. */
import { auditListResponse, readsListResponse } from '../../contracts/audit.ts'
import { presenterOf } from '../../contracts/record.ts'
import type { AuditEntry } from '../../domain/access/audit.ts'

const present = presenterOf(auditListResponse.shape.data.element)

export const presentAuditEntry = ({ createdAt: at, ...entry }: AuditEntry) => present({ ...entry, at })

export const presentReads = presenterOf(readsListResponse.shape.data.element)
