/** Tests the messages of Temporal in the log: they are not repeated and quote no data. */
import { beforeEach, expect, test } from 'vitest'
import type { Logger } from '../../../src/process/log.ts'
import { createTemporalLogger } from '../../../src/temporal/workers.ts'

let lines: { level: string; workflowId?: string; message: string }[]
const at =
  (level: string) =>
  (about: object, message: string): void =>
    void lines.push({ level, ...about, message })
const log = { debug: at('debug'), warn: at('warn'), error: at('error') } as unknown as Logger
const warnings = () => lines.filter(({ level }) => level !== 'debug')
beforeEach(() => {
  lines = []
})

test('logs the retries of eighty pollers once', () => {
  const logger = createTemporalLogger(log)
  for (let tries = 11; tries < 50; tries++)
    for (const kind of ['workflow', 'activity'])
      logger.warn(`gRPC call poll_${kind}_task_queue retried ${tries} times`)
  logger.error('Network error while sending worker heartbeat')
  expect(warnings().map(({ message }) => message)).toEqual([
    'gRPC call poll_workflow_task_queue retried 11 times',
    'gRPC call poll_activity_task_queue retried 11 times',
    'Network error while sending worker heartbeat',
  ])
})

test('logs every message of a workflow with its ID, without quoted data', () => {
  const logger = createTemporalLogger(log)
  for (const workflowId of ['kyb-1', 'kyb-2', 'kyb-2'])
    logger.warn('Failing workflow task', { workflowId, failure: 'planted@example.com' })
  expect(warnings().map(({ workflowId }) => workflowId)).toEqual(['kyb-1', 'kyb-2', 'kyb-2'])
  expect(JSON.stringify(lines)).not.toContain('planted')
})
