/** The events that follow from what an identification was before and after a change. */
import type { GatehouseEvent } from './events.ts'
import { identificationStatus } from './identification.ts'
import type { IdentificationRecord } from './identification-record.ts'

export function statusEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const [from, to] = [identificationStatus(before.state), identificationStatus(after.state)]
  if (from === to) return []
  const name = `identification_${from === 'blocked' && to === 'approved' ? 'unblocked' : to}` as const
  return [{ name, attributes: { ...resource(after), external_uuid: after.externalUuid, status: to } }]
}

type Resource = Pick<IdentificationRecord, 'id' | 'state'>

const resource = ({ id, state }: Resource) => ({
  identification_uuid: id,
  version: state.version,
})

/** Sent once per account that becomes fully blocked or free again; new ones are announced first. */
export function accountEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const wasLocked = identificationStatus(before.state) === 'blocked'
  const isLocked = identificationStatus(after.state) === 'blocked'
  const status = isLocked ? 'locked' : 'active'
  return after.accounts.flatMap((account): GatehouseEvent[] => {
    const isNew = !before.accounts.some(({ id }) => id === account.id)
    const attributes = { ...resource(after), account_uuid: account.id, status }
    const created: GatehouseEvent[] = isNew ? [{ name: 'account_created', attributes }] : []
    if (isLocked === (isNew ? false : wasLocked)) return created
    return [...created, { name: isLocked ? 'account_locked' : 'account_unlocked', attributes }]
  })
}

/** Sent when an identification is created, whatever its first status. */
export function creationEvents(
  record: Resource & Pick<IdentificationRecord, 'externalUuid' | 'accounts'>,
): GatehouseEvent[] {
  const status = identificationStatus(record.state)
  return [
    {
      name: 'identification_created',
      attributes: { ...resource(record), external_uuid: record.externalUuid, status },
    },
    ...record.accounts.map(
      ({ id }): GatehouseEvent => ({
        name: 'account_created',
        attributes: { ...resource(record), account_uuid: id, status: 'active' },
      }),
    ),
  ]
}
