/** Component: the photos of a person, and the identity document next to the entered values. */
import type { VerificationCheck } from '../../../domain/identification/verification-check.ts'
import type { GivenName } from '../../../domain/kyb/beneficiary-check.ts'
import type { PersonPhoto } from '../../../domain/review/review.ts'
import { markKey } from '../../../domain/review/review-mark.ts'
import { Chip } from '../../components/chip.tsx'
import { textOf } from '../../components/fields.tsx'
import { Flag } from '../../components/icon.tsx'
import { labelOf, wordOf } from '../base/words.ts'
import { acceptableIn, type ShownField } from './facts.tsx'
import { AcceptFoot, MarkCount, MarkKeys, MarkRow, type Marks } from './marks.tsx'
import { Picture } from './viewer.tsx'

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
        {[selfie, front].map((photo) =>
          photo ? (
            <figure key={photo.attribute}>
              <Photo marks={marks} photo={photo} />
            </figure>
          ) : null,
        )}
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

interface PhotoProps {
  readonly marks: Marks
  readonly photo: PersonPhoto
}

function Photo({ marks, photo: { attribute, warnings, ...file } }: PhotoProps) {
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

const rowOf = (marks: Marks, path: string, fileId: string | null = null) => ({
  marks,
  scope: 'compare',
  place: { path, fileId },
  label: labelOf(marks.visit.frame.t, path),
})

interface TypedFieldsProps {
  readonly marks: Marks
  readonly fields: readonly ShownField[]
  /** The checks of the identification, oldest first. */
  readonly checks: readonly VerificationCheck[]
}

/** Shows the photos of the identity document with its entered data, and accepts them. */
export function IdentityDocument({ photos, ...shared }: PhotosProps & TypedFieldsProps) {
  const { marks, fields } = shared
  const keys = keysOf(marks, photos, fields)
  const [front, ...others] = documentPhotos(photos).map((photo) => (
    <DocumentSide key={photo.attribute} {...shared} photo={photo} />
  ))
  return (
    <div class="proof">
      <div class="proof-head">
        <h2 id="identity-title">{marks.visit.frame.t('person.document')}</h2>
        <MarkCount marks={marks} id="identity-count" keys={keys} />
      </div>
      <div class="proof-rows">
        {front}
        <TypedList {...shared} class="facts" />
        {others}
      </div>
      <AcceptFoot marks={marks} id="identity-rest" keys={keys} />
    </div>
  )
}

/** Shows a side of the document, which has the same mark in all tabs. */
function DocumentSide({ marks, checks, photo }: Pick<TypedFieldsProps, 'marks' | 'checks'> & PhotoProps) {
  const row = rowOf(marks, photo.attribute, photo.id)
  return (
    <MarkRow {...row} class="identity-side">
      <figure>
        <Photo marks={marks} photo={photo} />
        <Doubt marks={marks} checks={checks} field={photo.attribute} />
      </figure>
      <MarkKeys {...row} />
    </MarkRow>
  )
}

/** Lists the entered values, and accepts them. */
export function TypedFields(props: TypedFieldsProps & { readonly givenName: GivenName | null }) {
  const { marks, fields } = props
  const keys = acceptableIn(marks, fields)
  if (fields.length === 0) return null
  return (
    <section class="card rows screen-only" aria-labelledby="typed-title">
      <div class="card-body spread">
        <h2 id="typed-title">{marks.visit.frame.t('console.typed')}</h2>
        <MarkCount marks={marks} id="typed-count" keys={keys} />
      </div>
      <TypedList {...props} class="facts compare" />
      <AcceptFoot marks={marks} id="typed-rest" keys={keys} />
    </section>
  )
}

/** Returns the marks of the photos of the document and of the values. The photo of the person has a question instead. */
const keysOf = (marks: Marks, photos: readonly PersonPhoto[], fields: readonly ShownField[]): string[] => [
  ...documentPhotos(photos)
    .map(({ attribute, id }) => ({ path: attribute, fileId: id }))
    .filter(marks.canFlag)
    .map(markKey),
  ...acceptableIn(marks, fields),
]

const documentPhotos = (photos: readonly PersonPhoto[]) =>
  photos.filter(({ attribute }) => attribute !== 'selfie')

interface TypedListProps extends TypedFieldsProps {
  /** The name in the application, which the list compares with the entered one. */
  readonly givenName?: GivenName | null
  readonly class: string
}

function TypedList({ marks, fields, checks, givenName, class: name }: TypedListProps) {
  const { frame } = marks.visit
  return (
    <dl class={name}>
      {givenName ? (
        <div class="mark-row">
          <dt>{frame.t('console.givenName')}</dt>
          <dd class="spread">
            <span class="value">{givenName.fullName}</span>
            <Chip tone={givenName.isSame ? 'success' : 'warning'} icon={givenName.isSame ? 'check' : 'x'}>
              {frame.t(givenName.isSame ? 'console.hit.same' : 'console.hit.differs')}
            </Chip>
          </dd>
        </div>
      ) : null}
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
              <Doubt marks={marks} checks={checks} field={field} />
              <MarkKeys {...row} />
            </dd>
          </MarkRow>
        )
      })}
    </dl>
  )
}

/** States why the provider's latest result names the field or the photo, if it does. */
function Doubt({ marks, checks, field }: Omit<TypedFieldsProps, 'fields'> & { readonly field: string }) {
  const result = checks.findLast((check) => check.result !== null)?.result
  return result?.fields?.includes(field) && result.reasonCode ? (
    <Chip tone="warning">{wordOf(marks.visit.frame, 'console.reason', result.reasonCode)}</Chip>
  ) : null
}
