/** Rules for the events that a change to an identification causes. */
import type { GatehouseEvent } from '../webhook/events.ts'
import type { Service } from './holds.ts'
import { identificationStatus } from './identification.ts'
import type { IdentificationRecord } from './record.ts'

/**
 * Returns the event for a change of the status. If all services of an approved identification are blocked, clients
 * receive `identification_blocked` and not `identification_approved`, which would suggest that the services are
 * available.
 */
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

/**
 * Returns one event for each account that becomes fully blocked or unblocked. An event for a new account comes first.
 */
export function accountEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const wasLocked = identificationStatus(before.state) === 'blocked'
  const isLocked = identificationStatus(after.state) === 'blocked'
  const status = isLocked ? 'locked' : 'active'
  return after.accounts.flatMap((account): GatehouseEvent[] => {
    const isNew = !isIn(before, account.id)
    const attributes = { ...resource(after), account_uuid: account.id, status }
    const created: GatehouseEvent[] = isNew ? [{ name: 'account_created', attributes }] : []
    if (isLocked === (isNew ? false : wasLocked)) return created
    return [...created, { name: isLocked ? 'account_locked' : 'account_unlocked', attributes }]
  })
}

/** Returns an event for each account on which internal holds block or unblock some services, unless the account is locked. */
export function serviceEvents(before: IdentificationRecord, after: IdentificationRecord): GatehouseEvent[] {
  const is = partiallyBlockedServices(after)
  const isLocked = identificationStatus(after.state) === 'blocked'
  return after.accounts.flatMap(({ id }): GatehouseEvent[] => {
    const was = isIn(before, id) ? partiallyBlockedServices(before) : []
    const blocked = is.filter((service) => !was.includes(service))
    const freed = isLocked ? [] : was.filter((service) => !is.includes(service))
    const about = { ...resource(after), account_uuid: id }
    const event = (name: 'services_blocked' | 'services_unblocked', status: string, services: Services) =>
      services.length > 0 ? [{ name, attributes: { ...about, services: services.join(), status } }] : []
    return [...event('services_blocked', 'blocked', blocked), ...event('services_unblocked', 'active', freed)]
  })
}

const isIn = ({ accounts }: IdentificationRecord, accountId: string): boolean =>
  accounts.some(({ id }) => id === accountId)

type Services = readonly Service[]

const partiallyBlockedServices = ({ state }: IdentificationRecord): Services =>
  identificationStatus(state) === 'approved'
    ? [...new Set(state.holds.flatMap(({ services }) => services))]
    : []

/** Returns the events for a new identification, whatever its first status. */
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
