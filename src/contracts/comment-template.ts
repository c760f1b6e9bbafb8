/** Schemas for comment templates, which administrators manage and reviewers insert. */
import { z } from 'zod'
import { MAX_TEMPLATE_TEXT, MAX_TEMPLATE_TITLE } from '../domain/access/comment-template.ts'
import { LANGUAGE_NAMES } from '../domain/base/language.ts'
import { described, idParam, requiredText } from './common.ts'
import { dataOf, named, uuid } from './response.ts'

const content = {
  language: z.enum(LANGUAGE_NAMES).describe('Language of the text.'),
  title: described(requiredText(MAX_TEMPLATE_TITLE), 'Title, which only operators see.', 'Extract too old'),
  text: described(
    requiredText(MAX_TEMPLATE_TEXT),
    'Text for the comment to the client.',
    'Please send an extract of the register that is not older than three months.',
  ),
}

export const commentTemplateBody = z.strictObject(content)

/** The console's form, whose fields have names of their own. */
export const commentTemplateForm = z
  .strictObject({
    template_language: content.language,
    template_title: content.title,
    template_text: content.text,
  })
  .transform(({ template_language, template_title, template_text }) => ({
    language: template_language,
    title: template_title,
    text: template_text,
  }))

const template = named(
  'CommentTemplate',
  z.strictObject({ id: uuid.describe('ID of the template.'), ...content }),
)
export const commentTemplateResponse = dataOf(template)
export const commentTemplatesResponse = z.strictObject({
  data: z.array(template).describe('The templates of the vault, sorted by title.'),
})

export const commentTemplateParams = z.object({ id: idParam, template_id: idParam })
export const commentTemplatesQuery = z.strictObject({
  vault_id: idParam.describe('ID of the vault.'),
})
