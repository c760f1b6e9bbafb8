/** Tests that handles of spans share the statements of their pool, and run them in their own span. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { cacheStatement, connectDatabase, withSpan } from '../../../src/db/connection/database.ts'
import type { Logger } from '../../../src/process/log.ts'
import type { Span } from '../../../src/process/span.ts'
import type { Encryption } from '../../../src/storage/encryption.ts'

test('builds a statement once for all spans, and runs it in the span of the handle', async () => {
  const url = 'postgresql://nobody@127.0.0.1:1/nothing'
  const db = connectDatabase(url, {} as Encryption, { warn: () => {} } as unknown as Logger)
  let builtCount = 0
  const statement = cacheStatement((orm) => {
    builtCount += 1
    return orm.select({ one: sql<number>`1` }).from(sql`things`).prepare('find_things')
  })
  const started: string[] = []
  const spanOf = (name: string): Span => ({
    traceparent: name,
    logFields: {},
    start(child) {
      started.push(`${name} > ${child}`)
      return spanOf(child)
    },
    end: () => {},
  })
  const [first, second] = [withSpan(db, spanOf('first')), withSpan(db, spanOf('second'))]
  for (const handle of [first, second, db, withSpan(first, spanOf('third'))])
    await expect(statement(handle).execute()).rejects.toThrow()
  expect(builtCount).toBe(1)
  expect(started).toEqual(['first > SELECT things', 'second > SELECT things', 'third > SELECT things'])
  await db.end()
})
