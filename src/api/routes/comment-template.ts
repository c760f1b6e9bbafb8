/** Routes for the comment templates of vaults. */
import {
  commentTemplateBody,
  commentTemplateParams,
  commentTemplateResponse,
  commentTemplatesQuery,
  commentTemplatesResponse,
} from '../../contracts/comment-template.ts'
import type { CommentTemplate } from '../../domain/access/comment-template.ts'
import {
  addCommentTemplate,
  changeCommentTemplate,
  listCommentTemplates,
  removeCommentTemplate,
} from '../../use-cases/access/comment-templates.ts'
import { type Route, route } from '../routing/route.ts'

const presentCreated = (template: CommentTemplate) => ({ status: 201 as const, body: { data: template } })

export const commentTemplateRoutes: readonly Route[] = [
  route({
    name: 'listCommentTemplatesForReview',
    at: 'GET /comment_templates',
    role: 'read_cases',
    summary: 'List the comment templates of a vault, for a decision',
    response: { 200: commentTemplatesResponse },
    query: commentTemplatesQuery,
    handler: async ({ deps, caller, query }) => ({
      body: { data: await listCommentTemplates(deps, caller, 'read_cases', query.vault_id) },
    }),
  }),
  route({
    name: 'listCommentTemplates',
    at: 'GET /vaults/:id/comment_templates',
    role: 'read_settings',
    summary: 'List the comment templates of a vault',
    response: { 200: commentTemplatesResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { data: await listCommentTemplates(deps, caller, 'read_settings', id) },
    }),
  }),
  route({
    name: 'addCommentTemplate',
    at: 'POST /vaults/:id/comment_templates',
    role: 'administer',
    summary: 'Add a comment template to a vault',
    retryGuidance: 'twice',
    response: { 201: commentTemplateResponse },
    body: commentTemplateBody,
    handler: ({ caller, by, params: { id }, body, effect }) =>
      effect.answering(presentCreated, (commit) => addCommentTemplate(caller, by, id, body, commit)),
  }),
  route({
    name: 'changeCommentTemplate',
    at: 'PUT /vaults/:id/comment_templates/:template_id',
    role: 'administer',
    summary: 'Replace a comment template',
    retryGuidance: 'same',
    response: { 200: commentTemplateResponse },
    params: commentTemplateParams,
    body: commentTemplateBody,
    handler: async ({ deps, caller, by, params: { id, template_id }, body }) => {
      const template = { ...body, id: template_id }
      await changeCommentTemplate(deps, caller, by, id, template)
      return { body: { data: template } }
    },
  }),
  route({
    name: 'removeCommentTemplate',
    at: 'DELETE /vaults/:id/comment_templates/:template_id',
    role: 'administer',
    summary: 'Remove a comment template and list the remaining ones',
    retryGuidance: 'same',
    response: { 200: commentTemplatesResponse },
    params: commentTemplateParams,
    handler: async ({ deps, caller, by, params: { id, template_id } }) => {
      await removeCommentTemplate(deps, caller, by, id, template_id)
      return { body: { data: await listCommentTemplates(deps, caller, 'administer', id) } }
    },
  }),
]
