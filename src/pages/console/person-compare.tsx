/** Component: the photo of a person next to the photos of the identity document, and the typed values. */
import type { PersonPhoto } from '../../domain/decision/review.ts'
import type { VerificationCheck } from '../../domain/identification/verification-check.ts'
import { Chip } from '../components/chip.tsx'
import { textOf } from '../components/fields.tsx'
import { Flag } from '../components/flag.tsx'
import type { Frame } from '../components/layout.tsx'
import type { ShownField } from './facts.tsx'
import { Document } from './viewer.tsx'
import { labelOf, wordOf } from './words.ts'

interface FacesProps {
  readonly frame: Frame
  readonly base: string
  readonly photos: readonly PersonPhoto[]
}

/** Shows all photos side by side, that of the person first. */
export function Faces({ frame: { t }, base, photos }: FacesProps) {
  if (photos.length === 0) return null
  const ordered = [...photos].sort((one, other) => order(one) - order(other))
  return (
    <section class="card faces" aria-label={t('console.tab.photos')}>
      {ordered.map(({ attribute, warnings, ...file }) => (
        <figure key={attribute}>
          <figcaption>
            {labelOf(t, attribute)}
            {warnings.map((warning) => (
              <Chip key={warning} tone="warning" icon="triangle-alert">
                {t(`console.warning.${warning}`)}
              </Chip>
            ))}
          </figcaption>
          <Document base={base} {...file} picture />
        </figure>
      ))}
    </section>
  )
}

const order = ({ attribute }: PersonPhoto): number => (attribute === 'selfie' ? 0 : 1)

interface TypedFieldsProps {
  readonly frame: Frame
  readonly fields: readonly ShownField[]
  /** Oldest first. */
  readonly checks: readonly VerificationCheck[]
}

/** Lists the typed values, and marks those that the newest result of a provider names. */
export function TypedFields({ frame, fields, checks }: TypedFieldsProps) {
  const { t } = frame
  if (fields.length === 0) return null
  const result = checks.findLast((check) => check.result !== null)?.result
  return (
    <table class="data-table compare">
      <thead>
        <tr>
          <td />
          <th scope="col">{t('console.typed')}</th>
          {result ? <th scope="col">{t('console.checks')}</th> : null}
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, type, value }) => (
          <tr key={field}>
            <th scope="row">{labelOf(t, field)}</th>
            <td>
              {type === 'country' ? <Flag country={String(value)} /> : null} {textOf(frame, type, value)}
            </td>
            {result ? (
              <td>
                {result.fields?.includes(field) ? (
                  <Chip tone="warning" icon="flag">
                    {result.reasonCode
                      ? wordOf(frame, 'console.reason', result.reasonCode)
                      : t('console.finding')}
                  </Chip>
                ) : null}
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
