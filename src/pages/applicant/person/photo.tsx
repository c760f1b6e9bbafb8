/** Page: a photo of the identity document or of the person, with tips and the current photo. */

import { acceptsPdf, type PersonFile } from '../../../domain/identification/person-form.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ReplyLink } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { Glyph } from '../../components/glyph.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { CaptureTemplate, TIPS } from './capture.tsx'
import { StepPage } from './page.tsx'
import { commentOn, type PersonVisit, photoOf, replyAt } from './visit.ts'

interface PhotoProps {
  readonly visit: PersonVisit
  readonly attribute: PersonFile
  readonly problems?: readonly FieldProblem[]
}

export function PhotoPage(props: PhotoProps) {
  const { visit, attribute, problems = [] } = props
  return (
    <StepPage
      visit={visit}
      current={attribute}
      title={visit.frame.t(`person.${attribute}`)}
      problems={problems}
    >
      <PhotoContent {...props} />
    </StepPage>
  )
}

export function PhotoContent({ visit, attribute, problems = [] }: PhotoProps) {
  const { frame, base } = visit
  const { t } = frame
  const photo = photoOf(visit, attribute)
  const comment = commentOn(visit)(attribute)
  const isSelfie = attribute === 'selfie'
  const [problem] = problems
  const input = `${attribute}-file`
  const isNew = !photo && !comment && !problem
  const isUsable = photo !== null && comment === null
  return (
    <>
      {comment ? <p class="comment">{comment}</p> : null}
      <ReplyLink frame={frame} href={replyAt(visit)(attribute)} />
      {photo ? (
        <Taken visit={visit} attribute={attribute} photo={photo} isRefused={comment !== null} />
      ) : null}
      <PostForm
        visit={visit}
        action={`${base}/files/${attribute}`}
        encType="multipart/form-data"
        class="flow photo-form"
      >
        <div class="card card-body photo-guide" data-start>
          <Guide isSelfie={isSelfie} />
          <div>
            <p>{t(`person.${attribute}.text`)}</p>
            <ul class="tips">
              {TIPS.map((tip) => (
                <li key={tip}>{t(`tip.${isSelfie ? 'selfie' : 'document'}.${tip}`)}</li>
              ))}
            </ul>
          </div>
        </div>
        <div
          class={problem ? 'field field-invalid' : 'field'}
          data-start
          data-picture={isSelfie ? 'user' : 'environment'}
          {...(isNew && { 'data-auto': '' })}
        >
          <label for={input} data-short={t('camera.file')}>
            {t(photo ? 'picture.another' : 'picture.choose')}
          </label>
          <p class="hint" id={`${input}-hint`}>
            {t(acceptsPdf(attribute) ? 'picture.kinds.document' : 'picture.kinds.selfie')}
          </p>
          {problem ? (
            <p class="problem" id={`${input}-problem`}>
              {problem.message}
            </p>
          ) : null}
          <input
            type="file"
            id={input}
            name="file"
            accept={acceptsPdf(attribute) ? 'image/jpeg,image/png,application/pdf' : 'image/jpeg,image/png'}
            aria-describedby={problem ? `${input}-hint ${input}-problem` : `${input}-hint`}
            {...(problem && { 'aria-invalid': 'true' })}
          />
        </div>
        <p class="on-phone" data-start>
          <ButtonLink kind="tonal" icon="smartphone" href={`${base}/phone`}>
            {t('phone.title')}
          </ButtonLink>
        </p>
        <SeenTemplate frame={frame} />
        <CaptureTemplate visit={visit} attribute={attribute} isFirst={!isUsable} />
        <div class="dock photo-dock">
          {isUsable ? (
            <ButtonLink href={`${base}/next/${attribute}`} data-start>
              {t(photo.warnings.length > 0 ? 'picture.keep' : 'picture.use')}
            </ButtonLink>
          ) : null}
          <Button
            kind={isUsable ? 'secondary' : 'filled'}
            data-seen={t('picture.use')}
            data-again={t('picture.again')}
          >
            {t('picture.send')}
          </Button>
        </div>
      </PostForm>
    </>
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
  return (
    <section class="card card-body taken" aria-labelledby="taken" data-start>
      <h2 id="taken">{t(isRefused ? 'picture.sent' : 'picture.taken')}</h2>
      {photo.isShown ? (
        <img class="photo" src={`${base}/files/${photo.id}`} alt={t(`person.${attribute}`)} />
      ) : (
        <p>{photo.name}</p>
      )}
      {photo.isShown || photo.warnings.length > 0 ? <Checks frame={frame} warnings={photo.warnings} /> : null}
      <PostForm visit={visit} action={`${base}/files/${attribute}/remove`}>
        <Button kind="link">{t('picture.remove')}</Button>
      </PostForm>
    </section>
  )
}

const CHECKS = ['small', 'blurred', 'dark'] as const

/** Lists the checks of a photo. If `warnings` is absent, a script shows the results. */
const Checks = ({ frame: { t }, warnings }: { frame: Frame; warnings?: readonly string[] }) => (
  <ul class="photo-checks" data-checks>
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
)

/** Renders the template with which a script shows the photo, its warnings and the progress of the upload. */
const SeenTemplate = ({ frame }: { frame: Frame }) => {
  const { t } = frame
  return (
    <template data-seen>
      <div class="seen">
        <div data-shown data-title={t('picture.taken')}>
          <img class="photo" alt={t('picture.preview')} />
          <p data-name hidden />
          <Checks frame={frame} />
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

/** Draws the outline of a document or of a face. */
const Guide = ({ isSelfie }: { isSelfie: boolean }) => (
  <svg class="guide" viewBox="7 7 226 136" aria-hidden="true" focusable="false">
    <rect class="guide-frame" x="8" y="8" width="224" height="134" rx="10" />
    {isSelfie ? (
      <>
        <ellipse class="guide-line" cx="120" cy="74" rx="44" ry="56" />
        <path class="guide-line" d="M104 66h.01M136 66h.01M106 92q14 12 28 0" />
      </>
    ) : (
      <>
        <rect class="guide-line" x="38" y="30" width="164" height="90" rx="8" />
        <circle class="guide-line" cx="76" cy="66" r="14" />
        <path class="guide-line" d="M54 104q22-28 44 0M118 56h64M118 74h64M118 92h40" />
      </>
    )}
  </svg>
)
