/** Rules for the events that a change of a KYB application causes. */
import type { GatehouseEvent } from '../webhook/events.ts'
import { kybWaitingOn } from './application.ts'
import type { KybRecord } from './record.ts'

export const requirementsChanged = (application: KybRecord): GatehouseEvent => ({
  name: 'kyb_requirements_changed',
  attributes: {
    ...resource(application),
    profile_version: application.form.version,
    status: 'requirements_changed',
  },
})

type KybResource = Pick<KybRecord, 'id' | 'identificationId' | 'externalId' | 'state'>

/** Returns the events that a change by the applicant, the client or a fact causes. */
export function progressEvents(before: KybRecord, after: KybRecord): GatehouseEvent[] {
  const isCompleted = after.state.completed && !before.state.completed
  const isBack = kybWaitingOn(before.state) === 'client' && kybWaitingOn(after.state) === 'operator'
  const isResubmitted = isBack && after.review?.outcome === 'revision_requested'
  return [
    ...(isCompleted ? [completedEvent(after)] : []),
    ...(isResubmitted ? [resubmittedEvent(after)] : []),
  ]
}

const resubmittedEvent = (application: KybResource): GatehouseEvent => ({
  name: 'kyb_resubmitted',
  attributes: { ...resource(application), status: 'resubmitted' },
})

/** Returns the event for an application that has all required data. It can occur when the application is created. */
export const completedEvent = (application: KybResource): GatehouseEvent => ({
  name: 'kyb_completed',
  attributes: { ...resource(application), status: 'completed' },
})

export const resource = ({ id, identificationId, externalId, state }: KybResource) => ({
  kyb_uuid: id,
  external_id: externalId,
  identification_uuid: identificationId,
  version: state.version,
})
