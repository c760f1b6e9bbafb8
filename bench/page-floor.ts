/** Runs the floor for pages, a bare server that reads the complete page from one row. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'

export interface PageFloorOptions {
  readonly databaseUrl: string
  readonly page: string
}

async function serve({ databaseUrl, page }: PageFloorOptions) {
  const database = postgres(databaseUrl, { max: 20 })
  await database`CREATE TABLE bench_page (id integer PRIMARY KEY, page text)`
  await database`INSERT INTO bench_page VALUES (1, ${page})`
  const server = createServer(async (_req, res) => {
    const [row] = await database`SELECT page FROM bench_page WHERE id = ${1}`
    res.setHeader('Content-Type', 'text/html; charset=utf-8').end(row?.page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port }
}

process.on('message', async (options: PageFloorOptions) => process.send?.(await serve(options)))
process.send?.('ready')
