/** Component: the missing fields of a form that was saved while it was empty, with a link to the next page. */
import type { Request } from 'express'
import type { FieldProblem, Frame } from '../components/layout.tsx'

/** The query parameter with which a page shows the missing fields after a redirect. */
export const MISSING = 'missing'

export const asksForMissing = (req: Request): boolean => MISSING in req.query

interface MissingField {
  /** The element ID of the field. */
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
