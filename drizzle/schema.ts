/** The tables, for queries and for generating migrations. */
export * from './schema/access.ts'
export * from './schema/command.ts'
export * from './schema/file.ts'
export * from './schema/identification.ts'
export * from './schema/kyb-application.ts'
export * from './schema/page.ts'
export * from './schema/screening.ts'
export * from './schema/webhook.ts'
