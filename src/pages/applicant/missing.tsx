/** A form that was saved with nothing that it requires: the page says what is missing, and leads on. */
import type { Request } from 'express'
import type { FieldProblem, Frame } from '../components/layout.tsx'

/** The query parameter with which the page is shown after it was saved. */
export const MISSING = 'missing'

export const asksForMissing = (req: Request): boolean => MISSING in req.query

interface MissingField {
  /** The ID of the element on the page. */
  readonly place: string
  readonly label: string
  readonly why: string
}

export const missingProblems = (fields: readonly MissingField[]): FieldProblem[] =>
  fields.map(({ place, label, why }) => ({
    field: place,
    message: label.endsWith('?') ? `${label} ${why}` : `${label}: ${why}`,
  }))

export const ContinueForm = ({ frame: { t }, href }: { frame: Frame; href: string }) => (
  <p>
    {t('section.missing')} <a href={href}>{t('section.goOn')}</a>
  </p>
)
