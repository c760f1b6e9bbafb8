/** Schemas for comment templates, which administrators manage in the console. */
import { z } from 'zod'
import { MAX_TEMPLATE_TEXT, MAX_TEMPLATE_TITLE } from '../domain/access/comment-template.ts'
import { LANGUAGE_NAMES } from '../domain/base/language.ts'
import { requiredText } from './common.ts'

export const commentTemplateForm = z
  .strictObject({
    template_language: z.enum(LANGUAGE_NAMES),
    template_title: requiredText(MAX_TEMPLATE_TITLE),
    template_text: requiredText(MAX_TEMPLATE_TEXT),
  })
  .transform(({ template_language, template_title, template_text }) => ({
    language: template_language,
    title: template_title,
    text: template_text,
  }))
