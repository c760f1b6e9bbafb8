/** Requests about webhook settings, secrets and delivery logs (specification, "Webhook settings and logs"). */
import { z } from 'zod'
import { ERRORS } from '../domain/errors.ts'
import { LOG_STATUSES, TOPICS } from '../domain/events.ts'
import { id, idParam, isUnbroken, pageQuery, text } from './common.ts'

const MAX_URLS = 10

const hasNoCredentials = (url: string) => {
  const { username, password } = new URL(url)
  return username === '' && password === ''
}

/** `http` is for receivers on the same machine, where the deployment allows private addresses. */
const webhookUrl = (allowPrivate: boolean) =>
  z
    .url({ protocol: allowPrivate ? /^https?$/ : /^https$/, error: 'Write an https URL.', abort: true })
    .max(2_000)
    .refine(isUnbroken, 'Leave spaces out of the URL.')
    .refine(hasNoCredentials, 'Leave user names and passwords out of the URL.')

const unknownTopic = z.unknown().superRefine((_, context) => {
  const { message } = ERRORS.unknown_topic
  context.addIssue({ code: 'custom', params: { code: 'unknown_topic' }, message })
})

export const updateWebhook = (allowPrivate: boolean) => {
  const urls = z
    .array(webhookUrl(allowPrivate))
    .max(MAX_URLS)
    .transform((urls) => [...new Set(urls)])
    .optional()
  const topics = Object.fromEntries(TOPICS.map((topic) => [topic, urls]))
  return z.strictObject({ webhook_url: z.object(topics).catchall(unknownTopic) })
}

export const listWebhookLogs = z.strictObject({
  type: z.enum(TOPICS).optional(),
  status: z.enum(LOG_STATUSES).optional(),
  search: text(500).optional(),
  vault_id: idParam.optional(),
  ...pageQuery(80),
})

export const listWebhookAttempts = z.strictObject(pageQuery(80))

/** A moment that PostgreSQL and JavaScript can both tell. */
const unixMoment = z.int().min(0).max(253_402_300_799)

export const retryWebhookLogs = z.strictObject({
  type: z.enum(TOPICS),
  status: z.enum(['failed', 'partial']),
  from: unixMoment,
  to: unixMoment,
  vault_id: id.optional(),
})

const WEEK = 168

export const rotateWebhookSecret = z.strictObject({ overlap_hours: z.int().min(0).max(WEEK).default(24) })
