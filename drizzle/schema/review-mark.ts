/** Schema of the fields and documents that operators accept or flag during a review. */
import { pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { FindingCode } from '../../src/domain/decision/decision.ts'
import type { Entity } from '../../src/domain/entity/entity.ts'
import { users } from './access.ts'
import { createdAt, encrypted } from './columns.ts'

/** Operators' marks, each on one field or document of a case. */
export const reviewMarks = pgTable(
  'review_marks',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    path: text('path').notNull(),
    /** The ID of the document, if the mark is about one document of the field. */
    fileId: uuid('file_id'),
    /** The finding, or null if the operator has accepted the value. */
    code: text('code').$type<FindingCode>(),
    comment: encrypted('comment'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('review_marks_place')
      .on(table.entityId, table.userId, table.path, table.fileId)
      .nullsNotDistinct(),
  ],
)
