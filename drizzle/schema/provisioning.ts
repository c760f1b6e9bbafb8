/** Schema of the operators and groups that the OpenID provider's directory manages (SCIM 2.0). */
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './access.ts'
import { createdAt, moment } from './columns.ts'

const updatedAt = () => moment('updated_at').notNull().defaultNow()

/** The operators that the directory has created or changed. */
export const provisionedOperators = pgTable(
  'provisioned_operators',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    /** The ID of the operator in the directory. */
    externalId: text('external_id'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('provisioned_operators_external').on(table.externalId)],
)

export const provisionedGroups = pgTable('provisioned_groups', {
  id: uuid('id').primaryKey(),
  /** The name of the group, which is the same in the provider's claims. */
  name: text('name').notNull().unique(),
  externalId: text('external_id'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const provisionedGroupMembers = pgTable(
  'provisioned_group_members',
  {
    groupId: uuid('group_id')
      .notNull()
      .references(() => provisionedGroups.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index('provisioned_group_members_user').on(table.userId),
  ],
)
