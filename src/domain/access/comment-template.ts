/** Rules for comment templates, the prepared texts of a vault for comments to its clients. */
import type { Language } from './branding.ts'

export interface CommentTemplate {
  readonly id: string
  readonly language: Language
  readonly title: string
  readonly text: string
}

/** The maximum per vault. */
export const MAX_COMMENT_TEMPLATES = 50
/** In characters. */
export const MAX_TEMPLATE_TITLE = 100
export const MAX_TEMPLATE_TEXT = 2_000
