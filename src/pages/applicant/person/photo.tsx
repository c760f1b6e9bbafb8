/** Page: a photo of the identity document or the person, with tips and the current photo. */

import { acceptsPdf, type PersonFile } from '../../../domain/identification/person-form.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ReplyLink } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { type FieldProblem, type Frame, Page } from '../../components/layout.tsx'
import { commentOn, type PersonVisit, photoOf, replyAt } from './visit.ts'

interface PhotoProps {
  readonly visit: PersonVisit
  readonly attribute: PersonFile
  readonly problems?: readonly FieldProblem[]
}

const TIPS = ['whole', 'sharp', 'glare'] as const

export function PhotoPage(props: PhotoProps) {
  const { visit, attribute, problems = [] } = props
  const { frame, base } = visit
  return (
    <Page frame={frame} title={frame.t(`person.${attribute}`)} back={base} problems={problems}>
      <PhotoContent {...props} />
    </Page>
  )
}

export function PhotoContent({ visit, attribute, problems = [] }: PhotoProps) {
  const { frame, base } = visit
  const { t } = frame
  const photo = photoOf(visit, attribute)
  const comment = commentOn(visit)(attribute)
  const isSelfie = attribute === 'selfie'
  const camera = isSelfie ? 'user' : 'environment'
  const [problem] = problems
  const input = `${attribute}-file`
  return (
    <>
      <p>{t(`person.${attribute}.text`)}</p>
      {comment ? <p class="comment">{comment}</p> : null}
      <ReplyLink frame={frame} href={replyAt(visit)(attribute)} />
      <Guide isSelfie={isSelfie} />
      <ul class="tips">
        {TIPS.map((tip) => (
          <li key={tip}>{t(`tip.${isSelfie ? 'selfie' : 'document'}.${tip}`)}</li>
        ))}
      </ul>
      {photo ? (
        <Taken visit={visit} attribute={attribute} photo={photo} isRefused={comment !== null} />
      ) : null}
      <PostForm visit={visit} action={`${base}/files/${attribute}`} encType="multipart/form-data">
        <div class={problem ? 'field field-invalid' : 'field'} data-picture={camera}>
          <label for={input}>{t(photo ? 'picture.another' : 'picture.choose')}</label>
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
        <CameraTemplate frame={frame} attribute={attribute} camera={camera} />
        <SeenTemplate frame={frame} />
        <Button
          {...(photo && comment === null && { class: 'second' })}
          data-seen={t('picture.use')}
          data-again={t('picture.again')}
        >
          {t('picture.send')}
        </Button>
      </PostForm>
    </>
  )
}

interface TakenProps {
  readonly visit: PersonVisit
  readonly attribute: PersonFile
  readonly photo: NonNullable<ReturnType<typeof photoOf>>
  /** True if the reviewer requests another photo. */
  readonly isRefused: boolean
}

/** Shows the photo with its warnings. A warning does not prevent its use. */
function Taken({ visit, attribute, photo, isRefused }: TakenProps) {
  const { frame, base } = visit
  const { t } = frame
  return (
    <section class="card" aria-labelledby="taken">
      <h2 id="taken">{t(isRefused ? 'picture.sent' : 'picture.taken')}</h2>
      {photo.isShown ? (
        <img class="picture" src={`${base}/files/${photo.id}`} alt={t(`person.${attribute}`)} />
      ) : (
        <p>{photo.name}</p>
      )}
      {photo.warnings.map((warning) => (
        <p key={warning} class="comment" role="status">
          {t(`picture.${warning}`)}
        </p>
      ))}
      {isRefused ? null : (
        <p>
          <ButtonLink href={`${base}/next/${attribute}`}>
            {t(photo.warnings.length > 0 ? 'picture.keep' : 'picture.use')}
          </ButtonLink>
        </p>
      )}
      <PostForm visit={visit} action={`${base}/files/${attribute}/remove`}>
        <Button kind="link">{t('picture.remove')}</Button>
      </PostForm>
    </section>
  )
}

/** For the script that opens the camera in the page, or the camera app of the phone if that fails. */
function CameraTemplate({
  frame: { t },
  attribute,
  camera,
}: {
  frame: Frame
  attribute: PersonFile
  camera: 'user' | 'environment'
}) {
  return (
    <template data-camera>
      <div class="camera">
        <Button type="button" data-open>
          {t('camera.open')}
        </Button>
        <input
          type="file"
          id={`${attribute}-capture`}
          accept="image/*"
          capture={camera}
          class="unseen"
          hidden
        />
        <label for={`${attribute}-capture`} class="button" hidden>
          {t('camera.open')}
        </label>
        <div data-view hidden>
          <div class={`viewfinder ${camera}`}>
            {/* The video has no sound, so it needs no captions. */}
            <video playsInline muted aria-label={t('camera.view')} />
          </div>
          <p class="actions">
            <Button type="button" data-shoot>
              {t('camera.shoot')}
            </Button>
            <Button type="button" kind="secondary" data-close>
              {t('camera.close')}
            </Button>
          </p>
        </div>
        <p
          class="quiet"
          data-state
          data-waiting={t('camera.waiting')}
          data-ready={t('camera.ready')}
          data-denied={t('camera.denied')}
          data-none={t('camera.none')}
          data-failed={t('camera.failed')}
        />
      </div>
    </template>
  )
}

/** For the script that shows the photo before the upload, with its warnings and the progress. */
const SeenTemplate = ({ frame: { t } }: { frame: Frame }) => (
  <template data-seen>
    <div class="seen">
      <h2>{t('picture.taken')}</h2>
      <img class="picture" alt={t('picture.preview')} />
      <p data-name hidden />
      <div
        data-warnings
        data-small={t('picture.small')}
        data-blurred={t('picture.blurred')}
        data-dark={t('picture.dark')}
      />
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

/** Draws the outline of a document, or of a face. */
const Guide = ({ isSelfie }: { isSelfie: boolean }) => (
  <svg class="guide" viewBox="7 7 226 136" aria-hidden="true" focusable="false">
    <rect class="frame" x="8" y="8" width="224" height="134" rx="10" />
    {isSelfie ? (
      <>
        <ellipse class="line" cx="120" cy="74" rx="44" ry="56" />
        <path class="line" d="M104 66h.01M136 66h.01M106 92q14 12 28 0" />
      </>
    ) : (
      <>
        <rect class="line" x="38" y="30" width="164" height="90" rx="8" />
        <circle class="line" cx="76" cy="66" r="14" />
        <path class="line" d="M54 104q22-28 44 0M118 56h64M118 74h64M118 92h40" />
      </>
    )}
  </svg>
)
