/** Page: a photo of the identity document or of the person, with tips and the current photo. */
import { offered } from '../../../domain/fields/field.ts'
import {
  acceptsPdf,
  factsOfApplicant,
  isAddedFile,
  type PersonFile,
  type SpecifiedPhoto,
} from '../../../domain/identification/person-form.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { describeInput, fieldClass, Hint, ProblemText, withoutLabel } from '../../components/field-notes.tsx'
import { labelOf, optionOf, ReplyLink } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { Glyph, Icon } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { ownText } from '../../texts/index.ts'
import { fileLimits } from '../base/upload-form.tsx'
import { CaptureTemplate, kindOf, Tips } from './capture.tsx'
import { StepPage } from './page.tsx'
import {
  commentOn,
  dueOn,
  isOpen,
  isPassportPage,
  type PersonVisit,
  photoOf,
  photosOf,
  replyAt,
  titleOf,
} from './visit.ts'

interface PhotoProps {
  readonly visit: PersonVisit
  readonly attribute: PersonFile
  readonly problems?: readonly FieldProblem[]
}

export function PhotoPage(props: PhotoProps) {
  const { visit, attribute, problems = [] } = props
  return (
    <StepPage visit={visit} current={attribute} title={titleOf(visit, attribute)} problems={problems}>
      <PhotoContent {...props} />
    </StepPage>
  )
}

export function PhotoContent({ visit, attribute, problems = [] }: PhotoProps) {
  const { frame, base } = visit
  const { t } = frame
  const photo = photoOf(visit, attribute)
  const comment = commentOn(visit)(attribute)
  const [problem] = problems
  const input = `${attribute}-file`
  const label = labelOf(t, attribute)
  const notes = {
    hint: t(acceptsPdf(attribute) ? 'picture.kinds.document' : 'picture.kinds.selfie'),
    problem,
  }
  const isNew = !photo && !comment && !problem
  const isUsable = photo !== null && comment === null && !problem
  const isWarned = isUsable && photo.warnings.length > 0
  const chooser = (
    <div
      class={fieldClass(notes)}
      {...(!isAddedFile(attribute) && {
        'data-start': '',
        'data-picture': attribute === 'selfie' ? 'user' : 'environment',
        ...fileLimits(frame, label),
        ...(!acceptsPdf(attribute) && {
          'data-other-kind': withoutLabel(label, t('problem.picture.unreadable', { label })),
        }),
        ...(isNew && { 'data-auto': '' }),
      })}
    >
      <label for={input} data-short={t('camera.file')}>
        {t(photo ? 'picture.another' : 'picture.choose')}
      </label>
      <Hint id={input} {...notes} />
      <ProblemText id={input} label={label} {...notes} />
      <input
        type="file"
        id={input}
        name="file"
        accept={acceptsPdf(attribute) ? 'image/jpeg,image/png,application/pdf' : 'image/jpeg,image/png'}
        {...describeInput(input, notes)}
      />
    </div>
  )
  return (
    <>
      {isAddedFile(attribute) || isUsable ? null : <Slots visit={visit} attribute={attribute} />}
      {comment ? <p class="comment">{comment}</p> : null}
      {photo && (isUsable || comment) ? (
        <Taken visit={visit} attribute={attribute} photo={photo} isRefused={comment !== null} />
      ) : null}
      <PostForm
        visit={visit}
        action={`${base}/files/${attribute}`}
        encType="multipart/form-data"
        class="flow photo-form"
      >
        {isAddedFile(attribute) ? (
          <>
            {isUsable ? null : <Accepted visit={visit} attribute={attribute} />}
            {chooser}
          </>
        ) : isUsable ? (
          chooser
        ) : (
          <div class="card photo-guide" data-start>
            <Guide attribute={attribute} />
            <p>{t(isPassportPage(visit, attribute) ? 'person.passport.text' : `person.${attribute}.text`)}</p>
            {problem ? null : <Tips frame={frame} kind={kindOf(attribute)} />}
            {chooser}
          </div>
        )}
        {isAddedFile(attribute) ? null : (
          <>
            <SeenTemplate frame={frame} attribute={attribute} />
            <CaptureTemplate visit={visit} attribute={attribute} isFirst={!isUsable || isWarned} />
          </>
        )}
        {/* Without scripts, the button that uses a photo is in the card, and a dock would cover it. */}
        <div class={`actions photo-dock ${isUsable ? '' : 'dock'}`}>
          <Button
            kind={isUsable && !isWarned ? 'secondary' : 'filled'}
            data-seen={t('picture.use')}
            data-again={t('picture.again')}
          >
            {t(isUsable ? 'picture.sendOther' : 'picture.send')}
          </Button>
        </div>
      </PostForm>
      {photo && problem && !comment ? <Kept visit={visit} attribute={attribute} photo={photo} /> : null}
      {visit.scope === 'everything' && !isAddedFile(attribute) && isNew ? (
        <ul class="card rows on-phone" data-start>
          <TaskRow href={`${base}/phone`} icon="smartphone" name={t('phone.title')} note={t('phone.why')} />
        </ul>
      ) : null}
      <ReplyLink frame={frame} href={replyAt(visit)(attribute)} />
    </>
  )
}

/** The names of the photos in little space. */
const SLOTS = {
  document_front: 'files.slot.front',
  document_back: 'files.slot.back',
  selfie: 'person.slot.selfie',
} as const satisfies Record<SpecifiedPhoto, string>

function Slots({ visit, attribute }: { visit: PersonVisit; attribute: SpecifiedPhoto }) {
  const { frame, base } = visit
  const { t } = frame
  return (
    <ol class="photo-slots" data-start>
      {photosOf(visit).map((each) => {
        const isDone = dueOn(visit, each).length === 0
        return (
          <li key={each}>
            <a href={`${base}/${each}`} {...(each === attribute && { 'aria-current': 'step' })}>
              {isDone ? <Glyph state="done" label={t('status.complete')} /> : null}
              {t(isPassportPage(visit, each) ? 'person.slot.passport' : SLOTS[each])}
            </a>
          </li>
        )
      })}
    </ol>
  )
}

interface TakenProps {
  readonly visit: PersonVisit
  readonly attribute: PersonFile
  readonly photo: NonNullable<ReturnType<typeof photoOf>>
  /** Whether the reviewer has requested another photo. */
  readonly isRefused: boolean
}

/** Shows the current photo with its warnings. The applicant can use a photo despite warnings. */
function Taken({ visit, attribute, photo, isRefused }: TakenProps) {
  const { frame, base } = visit
  const { t } = frame
  const isWarned = photo.warnings.length > 0
  return (
    <section class="card card-body taken" aria-labelledby="taken" data-start>
      <h2 id="taken">{t(isRefused ? 'picture.sent' : QUESTIONS[kindOf(attribute)])}</h2>
      <StoredPhoto visit={visit} photo={photo} alt={titleOf(visit, attribute)} />
      {!isRefused && (photo.isShown || isWarned) ? (
        <Checks frame={frame} kind={kindOf(attribute)} warnings={photo.warnings} />
      ) : null}
      {isRefused ? null : (
        <div class="actions">
          {/* A script hides the next field, and moves this link to the buttons below the photo. */}
          <ButtonLink
            kind={isWarned ? 'secondary' : 'filled'}
            href={`${base}/next/${attribute}`}
            data-start
            data-use
          >
            {t('picture.use')}
          </ButtonLink>
          <PostForm visit={visit} action={`${base}/files/${attribute}/remove`}>
            <Button kind="link">{t('picture.remove')}</Button>
          </PostForm>
        </div>
      )}
    </section>
  )
}

type StoredPhotoProps = Pick<TakenProps, 'visit' | 'photo'> & { readonly alt: string }

/** Shows a stored photo, or the name of a file that the page cannot show. Folded photos load when they are unfolded. */
export const StoredPhoto = ({ visit, photo, alt }: StoredPhotoProps) =>
  photo.isShown ? (
    <img
      class="photo"
      src={`${visit.base}/files/${photo.id}`}
      alt={alt}
      {...(!isOpen(visit) && { loading: 'lazy' as const })}
    />
  ) : (
    <span class="photo photo-name">
      <Icon name="file-text" size={20} />
      {photo.name}
    </span>
  )

/** Offers the earlier photo after another one was refused. */
function Kept({ visit, attribute, photo }: Omit<TakenProps, 'isRefused'>) {
  const { t } = visit.frame
  return (
    <section class="card card-body taken" aria-labelledby="taken" data-start>
      <h2 id="taken">{t('picture.kept')}</h2>
      <StoredPhoto visit={visit} photo={photo} alt={titleOf(visit, attribute)} />
      <p>
        <ButtonLink kind="secondary" href={`${visit.base}/next/${attribute}`}>
          {t('picture.useKept')}
        </ButtonLink>
      </p>
    </section>
  )
}

/** Shows the help text and the accepted kinds of a document that a profile adds. */
function Accepted({
  visit: { frame, identification, form },
  attribute,
}: Pick<PhotoProps, 'visit' | 'attribute'>) {
  const { t } = frame
  const help = ownText(t, 'help', attribute)
  const field = form.photos[attribute]
  const kinds = field ? offered(field, factsOfApplicant(identification.profile, form)) : []
  return (
    <>
      {help ? <p class="lead">{help}</p> : null}
      {kinds.length > 0 ? (
        <ul>
          {kinds.map((kind) => (
            <li key={kind}>{optionOf(t, kind, attribute)}</li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

/** The question that the applicant answers before using the photo. */
const QUESTIONS = { document: 'picture.taken', selfie: 'picture.taken.selfie' } as const

/** The effect of using a photo despite a warning. */
const WARNED = { document: 'picture.warned', selfie: 'picture.warned.selfie' } as const

const CHECKS = ['small', 'blurred', 'dark'] as const

interface ChecksProps {
  readonly frame: Frame
  readonly kind: keyof typeof WARNED
  /** If absent, a script shows the results. */
  readonly warnings?: readonly string[]
}

/** Lists the quality checks of a photo, and explains what happens despite a warning. */
const Checks = ({ frame: { t }, kind, warnings }: ChecksProps) => (
  <div class="photo-checks" data-checks>
    <ul class="list">
      {CHECKS.map((check) => {
        const isWarned = warnings?.includes(check)
        return (
          <li key={check} data-check={check}>
            {isWarned === true ? null : (
              <p data-good>
                <Glyph state="done" />
                {t(`picture.good.${check}`)}
              </p>
            )}
            {isWarned === false ? null : (
              <p data-bad hidden={isWarned === undefined}>
                <Glyph state="warning" />
                {t(`picture.${check}`)}
              </p>
            )}
          </li>
        )
      })}
    </ul>
    {warnings?.length === 0 ? null : (
      <p class="quiet" data-warned hidden={warnings === undefined}>
        {t(WARNED[kind])}
      </p>
    )}
  </div>
)

/** Renders the template with which a script shows the photo, its warnings and the progress of the upload. */
const SeenTemplate = ({ frame, attribute }: { frame: Frame; attribute: PersonFile }) => {
  const { t } = frame
  return (
    <template data-seen>
      <div class="seen">
        <div data-shown data-title={t(QUESTIONS[kindOf(attribute)])}>
          <img class="photo" alt={t('picture.preview')} />
          <p data-name hidden />
          <Checks frame={frame} kind={kindOf(attribute)} />
        </div>
        <progress max="1" value="0" aria-label={t('picture.progress')} hidden />
        <p
          class="quiet"
          data-state
          data-sending={t('files.sending', { percent: '{percent}' })}
          data-looking={t('picture.looking')}
          data-interrupted={t('picture.interrupted')}
          data-session={t('files.session')}
        />
      </div>
    </template>
  )
}

/** Draws the subject of the photo as the camera must show it: one side of a document, or a face. */
const Guide = ({ attribute }: { attribute: SpecifiedPhoto }) => (
  <svg class="guide" viewBox="0 0 320 200" aria-hidden="true" focusable="false">
    {attribute === 'selfie' ? (
      <>
        <circle class="guide-person" cx="160" cy="86" r="30" />
        <path
          class="guide-person"
          d="M108 152A66 84 0 0 0 212 152C206 126 184 122 160 122S114 126 108 152z"
        />
        <ellipse class="guide-frame" cx="160" cy="100" rx="66" ry="84" />
      </>
    ) : (
      <>
        <rect class="guide-paper" x="46" y="34" width="228" height="132" rx="10" />
        {attribute === 'document_front' ? <FrontGuide /> : <BackGuide />}
        <path
          class="guide-frame"
          d="M32 46V34a14 14 0 0 1 14-14h12M262 20h12a14 14 0 0 1 14 14v12M288 154v12a14 14 0 0 1-14 14h-12M58 180H46a14 14 0 0 1-14-14v-12"
        />
      </>
    )}
  </svg>
)

const FrontGuide = () => (
  <>
    <rect class="guide-photo" x="62" y="68" width="62" height="78" rx="6" />
    <circle class="guide-person" cx="93" cy="98" r="15" />
    <path class="guide-person" d="M68 146c1-19 11-27 25-27s24 8 25 27z" />
    <path class="guide-line" d="M62 52h80M142 76h112M142 94h88M142 112h100M142 136h56" />
  </>
)

const BackGuide = () => (
  <>
    <path class="guide-line" d="M62 54h88M62 72h124M62 90h60M226 54h32" />
    <path class="guide-line guide-code" d="M62 118h196M62 132h196M62 146h196" />
  </>
)
