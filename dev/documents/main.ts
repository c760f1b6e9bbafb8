/** Writes what is generated from the code: `npm run documents`. Tests fail when it was forgotten. */
import { writeFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { documentsOf } from '../../src/http/app.ts'
import type { AppDeps } from '../../src/http/deps.ts'
import { createLogger } from '../../src/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { clientTypes } from './client-types.ts'
import { errorsDocument } from './errors-document.ts'

/** Enough for routes to be listed: nothing is connected to, no handler runs. */
const config = readConfig({
  DATABASE_URL: 'postgres://nowhere.invalid/gatehouse',
  ENCRYPTION_KEYS: `none:${Buffer.alloc(32).toString('base64')}`,
  HASH_KEY: Buffer.alloc(32).toString('base64'),
  BLOB_DIR: 'nowhere',
})
const log = createLogger('silent', 'documents')
const db = openDatabase(config.DATABASE_URL, createEncryption(config), log)
const { client, operator } = documentsOf({ config, db, pool: db.pool, log } as unknown as AppDeps)

const write = (path: string, text: string) => writeFileSync(new URL(`../../${path}`, import.meta.url), text)
write('docs/errors.md', errorsDocument())
write('client/types.ts', clientTypes({ Client: client, Operator: operator }))
