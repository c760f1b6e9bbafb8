/** Use cases for comment templates, which administrators manage and reviewers read. */

import {
  countCommentTemplates,
  deleteCommentTemplate,
  findCommentTemplate,
  insertCommentTemplate,
  listCommentTemplates as listTemplates,
  updateCommentTemplate,
} from '../../db/access/comment-template.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { aboutVault, auditChanges, type By } from '../../domain/access/audit.ts'
import { type CommentTemplate, MAX_COMMENT_TEMPLATES } from '../../domain/access/comment-template.ts'
import type { Granted, Permission } from '../../domain/access/grant.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { requirePermission } from './caller.ts'
import { getVault, requireVaultForUpdate } from './vaults.ts'

type Content = Omit<CommentTemplate, 'id'>

/**
 * Lists the templates of a vault, sorted by title. Like all use cases here, throws `not_found` and `insufficient_role`.
 */
export async function listCommentTemplates(
  { db }: WithDb,
  operator: Granted,
  permission: Permission,
  vaultId: string,
): Promise<CommentTemplate[]> {
  await getVault({ db }, operator, permission, vaultId)
  return listTemplates(db, vaultId)
}

export async function getCommentTemplate(
  { db }: WithDb,
  operator: Granted,
  permission: Permission,
  vaultId: string,
  id: string,
): Promise<CommentTemplate> {
  requirePermission(operator, permission, vaultId)
  return requireFound(await findCommentTemplate(db, vaultId, id))
}

const FULL = 'The vault has the maximum number of templates. Remove a template first.'

/** Adds a template. Throws `too_many` if the vault already has the maximum number. */
export async function addCommentTemplate(
  operator: Granted,
  by: By,
  vaultId: string,
  content: Content,
  effect: Commit<CommentTemplate>,
): Promise<CommentTemplate> {
  requirePermission(operator, 'administer', vaultId)
  const template = { ...content, id: effect.id }
  return commitTogether(effect, async (tx) => {
    await requireVaultForUpdate(tx, vaultId)
    await insertCommentTemplate(tx, vaultId, template)
    if ((await countCommentTemplates(tx, vaultId)) > MAX_COMMENT_TEMPLATES)
      throw new RequestRefused({ code: 'too_many', message: FULL })
    await record(tx, by, vaultId, null, content)
    return template
  })
}

export const changeCommentTemplate = (
  { db }: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  template: CommentTemplate,
): Promise<void> =>
  transaction(db, async (tx) => {
    await requireVaultForUpdate(tx, vaultId)
    const before = await getCommentTemplate({ db: tx }, operator, 'administer', vaultId, template.id)
    await updateCommentTemplate(tx, vaultId, template)
    await record(tx, by, vaultId, before, template)
  })

/** Removes and returns a template. Returns null and has no effect if it is already removed. */
export const removeCommentTemplate = (
  { db }: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  id: string,
): Promise<CommentTemplate | null> =>
  transaction(db, async (tx) => {
    requirePermission(operator, 'administer', vaultId)
    await requireVaultForUpdate(tx, vaultId)
    const before = await findCommentTemplate(tx, vaultId, id)
    if (!before) return null
    await deleteCommentTemplate(tx, vaultId, id)
    await record(tx, by, vaultId, before, null)
    return before
  })

const recorded = (template: Content | null) => ({
  template_title: template?.title,
  template_language: template?.language,
  template_text: template?.text,
})
/** The fields that the audit trail records without values, because administrators can enter any text. */
const OMITTED_VALUES = ['template_title', 'template_text']

async function record(tx: Database, by: By, vaultId: string, before: Content | null, after: Content | null) {
  const changes = auditChanges(recorded(before), recorded(after), OMITTED_VALUES)
  if (Object.keys(changes).length === 0) return
  await recordAudit(tx, by, { action: 'vault_changed', ...aboutVault(vaultId), changes })
}
