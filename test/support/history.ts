/** Returns a workflow's history as text with decoded payloads. */
import type { Instance } from './instance.ts'

export async function historyText({ temporal }: Instance, workflowId: string): Promise<string> {
  const history = await temporal.workflow.getHandle(workflowId).fetchHistory()
  // Payloads are bytes in base64.
  return JSON.stringify(history, (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  )
}
