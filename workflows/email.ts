/** Workflow: sends one email under its retry policy. */
import { proxyActivities } from '@temporalio/workflow'
import type { EmailActivities } from './activities.ts'
import { EMAIL } from './policies.ts'

const { sendEmail } = proxyActivities<EmailActivities>(EMAIL)

export const email = (id: string): Promise<void> => sendEmail(id)
