/** Component: the photo of a person next to the identity document, and the typed values. */
import type { VerificationCheck } from '../../domain/identification/verification-check.ts'
import type { PersonPhoto } from '../../domain/review/review.ts'
import { markKey } from '../../domain/review/review-mark.ts'
import { Chip } from '../components/chip.tsx'
import { textOf } from '../components/fields.tsx'
import { Flag } from '../components/icon.tsx'
import type { ShownField } from './facts.tsx'
import { MarkKeys, MarkRow, type Marks } from './marks.tsx'
import { Picture } from './viewer.tsx'
import { labelOf, wordOf } from './words.ts'

interface PhotosProps {
  readonly marks: Marks
  readonly photos: readonly PersonPhoto[]
}

/** Returns the answer to whether the photos show the same person. Without two photos or a decision, there is no question. */
export function sameness(marks: Marks, photos: readonly PersonPhoto[]): 'open' | 'yes' | 'no' | null {
  const has = (name: string) => photos.some(({ attribute }) => attribute === name)
  const { place } = rowOf(marks, 'selfie')
  if (!has('selfie') || !has('document_front') || !marks.canMark || !marks.canFlag(place)) return null
  const mark = marks.byKey.get(markKey(place))
  return mark === undefined ? 'open' : mark.code === null ? 'yes' : 'no'
}

/** Shows the photo of the person and the front of the document side by side, and asks whether they match. */
export function Faces({ marks, photos }: PhotosProps) {
  const { t } = marks.visit.frame
  const find = (name: string) => photos.find(({ attribute }) => attribute === name)
  const [selfie, front] = [find('selfie'), find('document_front')]
  if (!selfie && !front) return null
  return (
    <section class="card faces" aria-label={t('console.tab.photos')}>
      <div class="faces-pair">
        {selfie ? (
          <figure>
            <Photo marks={marks} photo={selfie} />
          </figure>
        ) : null}
        {front ? (
          <MarkRow {...rowOf(marks, front.attribute)} class="identity-side">
            <figure>
              <Photo marks={marks} photo={front} />
            </figure>
            <MarkKeys {...rowOf(marks, front.attribute)} />
          </MarkRow>
        ) : null}
      </div>
      {selfie ? (
        <MarkRow {...rowOf(marks, 'selfie')} class="same-person">
          {front ? t('console.same') : labelOf(t, 'selfie')}
          <MarkKeys
            {...rowOf(marks, 'selfie')}
            {...(front && { words: { accept: t('console.same.yes'), flag: t('console.same.no') } })}
          />
        </MarkRow>
      ) : null}
    </section>
  )
}

function Photo({ marks, photo: { attribute, warnings, ...file } }: { marks: Marks; photo: PersonPhoto }) {
  const { t } = marks.visit.frame
  return (
    <>
      <figcaption>{labelOf(t, attribute)}</figcaption>
      <Picture base={marks.base} {...file} />
      {warnings.map((warning) => (
        <Chip key={warning} tone="warning" icon="triangle-alert">
          {t(`console.warning.${warning}`)}
        </Chip>
      ))}
    </>
  )
}

const rowOf = (marks: Marks, path: string) => ({
  marks,
  scope: 'compare',
  place: { path, fileId: null },
  label: labelOf(marks.visit.frame.t, path),
})

interface TypedFieldsProps {
  readonly marks: Marks
  readonly fields: readonly ShownField[]
  /** The checks of the identification, oldest first. */
  readonly checks: readonly VerificationCheck[]
}

/** Shows the other photos of the identity document with its typed data. */
export function IdentityDocument({ photos, fields, ...shared }: PhotosProps & TypedFieldsProps) {
  const { marks } = shared
  const sides = photos.filter(({ attribute }) => attribute !== 'selfie' && attribute !== 'document_front')
  return (
    <>
      <div class="proof-head">
        <h2 id="identity-title">{marks.visit.frame.t('person.document')}</h2>
      </div>
      <div class="proof-rows">
        {sides.map((photo) => (
          <MarkRow key={photo.attribute} {...rowOf(marks, photo.attribute)} class="identity-side">
            <figure>
              <Photo marks={marks} photo={photo} />
            </figure>
            <MarkKeys {...rowOf(marks, photo.attribute)} />
          </MarkRow>
        ))}
        <TypedList {...shared} fields={fields} class="facts" />
      </div>
    </>
  )
}

/** Lists the typed values. Marks the values that the provider's latest result names. */
export function TypedFields(props: TypedFieldsProps) {
  if (props.fields.length === 0) return null
  return (
    <section class="card rows screen-only" aria-labelledby="typed-title">
      <h2 id="typed-title" class="card-body">
        {props.marks.visit.frame.t('console.typed')}
      </h2>
      <TypedList {...props} class="facts compare" />
    </section>
  )
}

function TypedList({ marks, fields, checks, class: name }: TypedFieldsProps & { readonly class: string }) {
  const { frame } = marks.visit
  const result = checks.findLast((check) => check.result !== null)?.result
  return (
    <dl class={name}>
      {fields.map(({ field, path, type, value }) => {
        const row = rowOf(marks, path)
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
  )
}
