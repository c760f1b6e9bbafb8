/**
 * Runs the floor for the API, a bare Express server that reads a row, inserts rows, or sends an update to a workflow.
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream, unlinkSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import express from 'express'
import postgres from 'postgres'
import { BARE_TASK_QUEUE, type bare, change } from './bare-workflow.ts'

export interface BareServerOptions {
  readonly databaseUrl: string
  readonly temporalAddress: string
  /** The content of each readable row, by its ID. */
  readonly rows: Record<string, string>
}

async function serve({ databaseUrl, temporalAddress, rows }: BareServerOptions) {
  const database = postgres(databaseUrl, { max: 20, onnotice: () => {} })
  const { workflow } = new Client({ connection: Connection.lazy({ address: temporalAddress }) })
  await database`CREATE TABLE IF NOT EXISTS bench_rows (id text PRIMARY KEY, body text)`
  for (const [id, body] of Object.entries(rows))
    await database`INSERT INTO bench_rows VALUES (${id}, ${body}) ON CONFLICT DO NOTHING`
  const app = express().disable('x-powered-by').use(express.json())
  app.get('/rows/:id', async (req, res) => {
    const [row] = await database`SELECT body FROM bench_rows WHERE id = ${req.params.id}`
    res.type('json').send(row?.body)
  })
  // Inserts as many rows as a new application does.
  app.post('/rows', async (_req, res) => {
    const body = rows.created ?? ''
    await database.begin(async (tx) => {
      for (let n = 0; n < 5; n += 1) await tx`INSERT INTO bench_rows VALUES (${randomUUID()}, ${body})`
    })
    res.status(201).type('json').send(body)
  })
  app.patch('/rows/:id', async (req, res) => {
    await workflow.executeUpdateWithStart(change, {
      args: [req.params.id],
      startWorkflowOperation: new WithStartWorkflowOperation<typeof bare>('bare', {
        workflowId: `bench-${req.params.id}`,
        taskQueue: BARE_TASK_QUEUE,
        args: [],
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    })
    const [row] = await database`SELECT body FROM bench_rows WHERE id = ${req.params.id}`
    res.type('json').send(row?.body)
  })
  app.post('/files', async (req, res) => {
    const file = join(tmpdir(), randomUUID())
    await pipeline(req, createWriteStream(file))
    unlinkSync(file)
    res.status(201).json({})
  })
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port })
  })
}

process.once('disconnect', () => process.exit())
process.on('message', (options: BareServerOptions) => void serve(options))
process.send?.('ready')
