/** The search attributes by which operators find workflows. They contain no personal data. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'

export const SEARCH_ATTRIBUTES = {
  vault: defineSearchAttributeKey('GatehouseVault', SearchAttributeType.KEYWORD),
  kind: defineSearchAttributeKey('GatehouseKind', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('GatehouseStatus', SearchAttributeType.KEYWORD),
  waitingOn: defineSearchAttributeKey('GatehouseWaitingOn', SearchAttributeType.KEYWORD),
} as const
