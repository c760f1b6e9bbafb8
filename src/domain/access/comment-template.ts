/** Rules for comment templates, which are a vault's prepared texts for comments to its client. */
import type { Language } from '../base/language.ts'

export interface CommentTemplate {
  readonly id: string
  readonly language: Language
  readonly title: string
  readonly text: string
}

/** The maximum number of templates per vault. */
export const MAX_COMMENT_TEMPLATES = 50
/** The maximum lengths, in characters. */
export const MAX_TEMPLATE_TITLE = 100
export const MAX_TEMPLATE_TEXT = 2_000
