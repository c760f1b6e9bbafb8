/** Component: the photo of a person next to the photos of the identity document, and the typed values. */
import type { PersonPhoto } from '../../domain/decision/review.ts'
import type { VerificationCheck } from '../../domain/identification/verification-check.ts'
import { Chip } from '../components/chip.tsx'
import { textOf } from '../components/fields.tsx'
import { Flag } from '../components/flag.tsx'
import type { Frame } from '../components/layout.tsx'
import type { ShownField } from './facts.tsx'
import { MarkKeys, MarkRow, type Marks } from './marks.tsx'
import { Document } from './viewer.tsx'
import { labelOf, wordOf } from './words.ts'

interface FacesProps {
  readonly frame: Frame
  readonly marks: Marks
  readonly photos: readonly PersonPhoto[]
}

/** Shows all photos side by side, that of the person first. */
export function Faces({ frame: { t }, marks, photos }: FacesProps) {
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
          <MarkRow {...rowOf(marks, attribute, labelOf(t, attribute))}>
            <Document base={marks.base} {...file} picture />
            <MarkKeys {...rowOf(marks, attribute, labelOf(t, attribute))} />
          </MarkRow>
        </figure>
      ))}
    </section>
  )
}

const rowOf = (marks: Marks, path: string, label: string) => ({
  marks,
  scope: 'compare',
  place: { path, fileId: null },
  label,
})

const order = ({ attribute }: PersonPhoto): number => (attribute === 'selfie' ? 0 : 1)

interface TypedFieldsProps {
  readonly marks: Marks
  readonly fields: readonly ShownField[]
  /** Oldest first. */
  readonly checks: readonly VerificationCheck[]
}

/** Lists the typed values, and marks those that the newest result of a provider names. */
export function TypedFields({ marks, fields, checks }: TypedFieldsProps) {
  const { frame } = marks.visit
  const { t } = frame
  if (fields.length === 0) return null
  const result = checks.findLast((check) => check.result !== null)?.result
  return (
    <section class="card rows" aria-label={t('console.typed')}>
      <dl class="facts compare">
        {fields.map(({ field, path, type, value }) => {
          const row = rowOf(marks, path, labelOf(t, field))
          return (
            <MarkRow key={path} {...row}>
              <dt>{row.label}</dt>
              <dd>
                <span class="value">
                  {type === 'country' ? <Flag country={String(value)} /> : null}
                  {textOf(frame, type, value)}
                </span>
                {result?.fields?.includes(field) && result.reasonCode ? (
                  <Chip tone="warning">{wordOf(frame, 'console.reason', result.reasonCode)}</Chip>
                ) : null}
                <MarkKeys {...row} />
              </dd>
            </MarkRow>
          )
        })}
      </dl>
    </section>
  )
}
