/** Requests about webhook settings and delivery logs (specification, "Webhook settings and logs"). */
import { z } from 'zod'
import { ERRORS } from '../domain/errors.ts'
import { LOG_STATUSES, TOPICS } from '../domain/events.ts'
import { idParam, pageQuery, text } from './common.ts'

const MAX_URLS = 10

/** `http` is for receivers on the same machine, where the deployment allows private addresses. */
const webhookUrl = (allowPrivate: boolean) =>
  z
    .url({ protocol: allowPrivate ? /^https?$/ : /^https$/, error: 'Write an https URL.' })
    .max(2_000)
    .refine((url) => !/^\w+:\/\/[^/?#]*@/.test(url), 'Leave user names and passwords out of the URL.')

export const updateWebhook = (allowPrivate: boolean) =>
  z.strictObject({
    webhook_url: z
      .record(z.string(), z.array(webhookUrl(allowPrivate)).max(MAX_URLS))
      .superRefine((topics, context) => {
        for (const topic of Object.keys(topics)) {
          if ((TOPICS as readonly string[]).includes(topic)) continue
          context.addIssue({
            code: 'custom',
            path: [topic],
            params: { code: 'unknown_topic' },
            message: ERRORS.unknown_topic.message,
          })
        }
      }),
  })

export const listWebhookLogs = z.strictObject({
  type: z.enum(TOPICS).optional(),
  status: z.enum(LOG_STATUSES).optional(),
  search: text(500).optional(),
  vault_id: idParam.optional(),
  ...pageQuery(80),
})
