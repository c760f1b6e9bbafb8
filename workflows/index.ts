/** Exports all workflows, which a worker bundles. */
export { email } from './email.ts'
export { housekeeping } from './housekeeping.ts'
export { identification } from './identification.ts'
export { kybApplication } from './kyb-application.ts'
export { webhookDeliveries } from './webhook-deliveries.ts'
