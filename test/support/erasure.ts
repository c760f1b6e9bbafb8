/** Helpers for tests of erasure: elapsed time, and the command as an administrator runs it. */
import { eq, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { identifications } from '../../drizzle/schema.ts'
import { erase } from '../../src/cli/erasure.ts'
import { eventually, type Instance } from './instance.ts'
import { spawnProcess } from './processes.ts'

/** Sets the conclusion of the identification to this number of years ago. */
export async function conclude({ db }: Instance, id: string, years: number): Promise<void> {
  await eventually(async () => {
    const moved = await db.orm
      .update(identifications)
      .set({ concludedAt: sql`concluded_at - make_interval(years => ${years}::int)` })
      .where(sql`id = ${id} AND concluded_at IS NOT NULL`)
      .returning({ id: identifications.id })
    expect(moved).toHaveLength(1)
  })
}

export async function erasedAt({ db }: Instance, id: string): Promise<Date | null> {
  const [row] = await db.orm
    .select({ erasedAt: identifications.erasedAt })
    .from(identifications)
    .where(eq(identifications.id, id))
  return row?.erasedAt ?? null
}

export async function runCli({ env }: Instance, ...args: string[]) {
  const cli = spawnProcess('src/cli/main.ts', env, ...args)
  return { code: await cli.ended, output: cli.output() }
}

export const PERIODS = { years: 5, unfinishedDays: 180, sendsEmails: false }

/** Runs the erasure in this process, without the confirmation. */
export async function eraseHere(
  { db, blobs }: Instance,
  targets: Parameters<typeof erase>[1],
  { dryRun = false, ...periods }: { dryRun?: boolean } & Partial<typeof PERIODS> = {},
) {
  const lines: string[] = []
  const options = { periods: { ...PERIODS, ...periods }, yes: true, dryRun }
  const complete = await erase({ db, blobs, say: (line) => lines.push(line) }, targets, options)
  return { complete, output: lines.join('\n') }
}

export const runErase = (gatehouse: Instance, ...args: string[]) => runCli(gatehouse, 'erase', ...args)
