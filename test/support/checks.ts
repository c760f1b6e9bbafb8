/** Checks the effects of requests in rows, blobs and histories. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WorkflowNotFoundError } from '@temporalio/common'
import { and, eq, like, ne, or } from 'drizzle-orm'
import { expect } from 'vitest'
import { commands, files, kybApplications, timeline, webhookLogs } from '../../drizzle/schema.ts'
import type { Config } from '../../src/process/config.ts'
import type { ApiResponse } from './api.ts'
import { eventually, type Instance } from './instance.ts'

/** Returns everything that a command on an application can change. */
export async function tracesOf({ db, temporal, config }: Instance, kybId: string) {
  const { version, content, identificationId } = await rowOf(db, kybId)
  const { payload } = webhookLogs
  return {
    version,
    content: content.toString('hex'),
    commands: await db.orm.$count(commands, eq(commands.entityId, kybId)),
    files: await db.orm.$count(files, and(eq(files.kybApplicationId, kybId), ne(files.state, 'detached'))),
    timeline: await db.orm.$count(timeline, eq(timeline.entityId, kybId)),
    webhookLogs: await db.orm.$count(
      webhookLogs,
      or(like(payload, `%${kybId}%`), like(payload, `%${identificationId}%`)),
    ),
    blobs: blobsIn(blobFolderOf(config)),
    history: await historyLength(temporal, `kyb-${kybId}`),
  }
}

async function rowOf(db: Instance['db'], kybId: string) {
  const [row] = await db.orm.select().from(kybApplications).where(eq(kybApplications.id, kybId))
  if (!row) throw new Error(`there is no application ${kybId}`)
  return row
}

/** Returns the folder of the encrypted files. */
export const blobFolderOf = ({ BLOB_URL }: Pick<Config, 'BLOB_URL'>): string => fileURLToPath(BLOB_URL)

export const blobsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()

async function historyLength(temporal: Instance['temporal'], workflowId: string): Promise<number> {
  try {
    const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
    return events?.length ?? 0
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0
    throw error
  }
}

/**
 * Waits until the workflows of the application and of its identification are idle, so that only the test
 * causes changes. Each workflow may have signalled the other shortly before.
 */
export async function settled(instance: Instance, kybId: string): Promise<void> {
  const { db, temporal } = instance
  const { identificationId } = await rowOf(db, kybId)
  const kyb = `kyb-${kybId}`
  await eventually(async () => {
    for (const workflowId of [kyb, `identification-${identificationId}`, kyb]) {
      const { raw } = await temporal.workflow.getHandle(workflowId).describe()
      expect(raw.pendingWorkflowTask ?? null).toBeNull()
      expect(raw.pendingActivities ?? []).toEqual([])
    }
  })
}

/** Checks that the request returns this status and these codes, and changes nothing in the application. */
export async function expectRefusal(
  instance: Instance,
  kybId: string,
  request: () => Promise<ApiResponse>,
  status: number,
  ...codes: (string | { code: string; field: string })[]
): Promise<void> {
  await settled(instance, kybId)
  const before = await tracesOf(instance, kybId)
  const answer = await request()
  expect(answer.status).toBe(status)
  expectErrors(answer, ...codes)
  expect(await tracesOf(instance, kybId)).toEqual(before)
}

/** Checks all errors of the response, in any order. A string is a code. */
export function expectErrors(
  { body }: ApiResponse,
  ...codes: (string | { code: string; field: string })[]
): void {
  const expected = codes.map((each) =>
    expect.objectContaining(typeof each === 'string' ? { code: each } : each),
  )
  expect(body.errors).toHaveLength(codes.length)
  expect(body.errors).toEqual(expect.arrayContaining(expected))
  for (const error of body.errors) expect(error.message).toEqual(expect.any(String))
}
