/** Component: the camera view with which a script takes photos. On a phone, the view fills the screen. */
import type { PersonFile, SpecifiedPhoto } from '../../../domain/identification/person-form.ts'
import { Button, IconButton, PlainButton } from '../../components/button.tsx'
import { Questions } from '../../components/contact.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { isPassportPage, type PersonVisit, photosOf, titleOf } from './visit.ts'

/** The tips, the most important one first. */
const TIPS = ['whole', 'glare', 'sharp'] as const

const ICONS = {
  document: { whole: 'maximize', glare: 'sun', sharp: 'scroll-text' },
  selfie: { whole: 'scan-face', glare: 'eye', sharp: 'sun' },
} as const satisfies Record<string, Record<(typeof TIPS)[number], IconName>>

type PhotoKind = keyof typeof ICONS

export const kindOf = (attribute: PersonFile): PhotoKind => (attribute === 'selfie' ? 'selfie' : 'document')

interface TipsProps {
  readonly frame: Frame
  readonly kind: PhotoKind
  /** Makes a script hide the tips while it shows the help. */
  readonly 'data-tips'?: boolean
}

export const Tips = ({ frame: { t }, kind, ...data }: TipsProps) => (
  <ul class="photo-tips" {...data}>
    {TIPS.map((tip) => (
      <li key={tip}>
        <Icon name={ICONS[kind][tip]} size={20} />
        {t(`camera.tip.${kind}.${tip}`)}
      </li>
    ))}
  </ul>
)

interface CaptureProps {
  readonly visit: PersonVisit
  readonly attribute: SpecifiedPhoto
  /** True if there is no usable photo yet. */
  readonly isFirst: boolean
}

export function CaptureTemplate({ visit, attribute, isFirst }: CaptureProps) {
  const { t } = visit.frame
  const kind = kindOf(attribute)
  const photos = photosOf(visit)
  const at = photos.indexOf(attribute)
  const task = t(isPassportPage(visit, attribute) ? 'camera.frame.passport' : `camera.frame.${attribute}`)
  return (
    <template data-camera>
      <div class="photo-buttons">
        <Button type="button" kind={isFirst ? 'filled' : 'secondary'} icon="camera" data-open>
          {t('camera.open')}
        </Button>
        <input
          type="file"
          id={`${attribute}-capture`}
          accept="image/*"
          capture={kind === 'selfie' ? 'user' : 'environment'}
          class="unseen"
          hidden
        />
        <label for={`${attribute}-capture`} class={isFirst ? 'button' : 'button button-secondary'} hidden>
          {t('camera.open')}
        </label>
        <Button type="button" kind="secondary" icon="camera" data-retake data-shown hidden>
          {t('picture.retake')}
        </Button>
        <dialog class="capture" aria-label={task}>
          <div class="capture-head">
            <IconButton type="button" icon="x" label={t('camera.close')} data-close />
            <span>{titleOf(visit, attribute)}</span>
            <span>{t('camera.count', { number: at + 1, total: photos.length })}</span>
            <div class="capture-bars" aria-hidden="true">
              {photos.map((each, n) => (
                <progress key={each} max="1" value={n <= at ? 1 : 0} />
              ))}
            </div>
          </div>
          <div class={`capture-stage capture-${kind}`}>
            {/* The video has no sound, so it needs no captions. */}
            <video playsInline muted aria-label={t('camera.view')} hidden />
            <h2>{task}</h2>
            <CaptureFrame kind={kind} />
            <p data-wait>{t('camera.waiting')}</p>
          </div>
          <div class="capture-sheet">
            <Tips frame={visit.frame} kind={kind} data-tips />
            <ul class="capture-help" data-help-text hidden>
              {TIPS.map((tip) => (
                <li key={tip}>{t(`tip.${kind}.${tip}`)}</li>
              ))}
              <li>
                <Questions frame={visit.frame} />
              </li>
            </ul>
            <div class="capture-keys">
              <PlainButton type="button" class="capture-key" data-file>
                <Icon name="image" size={20} />
                {t('camera.file')}
              </PlainButton>
              <PlainButton type="button" class="shutter" data-shoot disabled>
                <span class="unseen">{t('camera.shoot')}</span>
              </PlainButton>
              <PlainButton type="button" class="capture-key" data-help aria-expanded="false">
                <Icon name="circle-question-mark" size={20} />
                {t('camera.help')}
              </PlainButton>
            </div>
            <p class="capture-note">{t('camera.note')}</p>
          </div>
        </dialog>
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

const CaptureFrame = ({ kind }: { kind: PhotoKind }) =>
  kind === 'selfie' ? (
    <svg class="capture-frame" viewBox="0 0 240 312" aria-hidden="true">
      <ellipse cx="120" cy="156" rx="116" ry="152" />
    </svg>
  ) : (
    <svg class="capture-frame" viewBox="0 0 320 204" aria-hidden="true">
      <path d="M2 28V16A14 14 0 0 1 16 2h12M292 2h12a14 14 0 0 1 14 14v12M318 176v12a14 14 0 0 1-14 14h-12M28 202H16a14 14 0 0 1-14-14v-12" />
    </svg>
  )
