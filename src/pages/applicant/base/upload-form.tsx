/** Component: the form that uploads a file to a list, and the row that a script shows meanwhile. */
import { MAX_FILE_BYTES, type Side } from '../../../domain/base/file.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { describeInput, ProblemText, withoutLabel } from '../../components/field-notes.tsx'
import { PostForm } from '../../components/form.tsx'
import { Glyph, Icon } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { sizeText } from '../../values/numbers.ts'
import type { ApplicantVisit } from './visit.ts'

export interface FileList {
  readonly path: string
  readonly field: string
  readonly action: string
  readonly files: readonly {
    readonly id: string
    readonly name: string
    /** The size in bytes, if known. */
    readonly size?: number | undefined
    /** Whether the file cannot be opened, and therefore does not count. */
    readonly problem?: 'lost' | 'unreadable' | undefined
    readonly side?: Side | null | undefined
  }[]
  readonly required: boolean
  /** The side of an identity card that the list is for. If absent, each file shows all that is needed. */
  readonly side?: Side
  /** The documents that the profile accepts, or null if it accepts all. */
  readonly accepted?: string | null
  /** The correction that a reviewer has requested, or why the documents do not count. */
  readonly comment: string | null
  /** The page on which the applicant can dispute the comment, or null. */
  readonly replyHref: string | null
}

/** Returns the element ID of the row. The row for a single side is next to the one of the list at the path. */
export const rowId = ({ path, side }: Pick<FileList, 'path' | 'side'>): string =>
  side ? `${path}-${side}` : path

const fileInput = (id: string): string => `${id}-file`

/** The attributes of an element that accepts files, for the script that uploads them. */
export const acceptsFiles = (frame: Frame, id: string, label: string) => ({
  id,
  tabIndex: -1,
  'aria-labelledby': `${id}-title`,
  'data-documents': true,
  ...fileLimits(frame, label),
})

/** The size limit, and the texts for files that the server would refuse. */
export function fileLimits({ t }: Frame, label: string) {
  const text = (name: 'size' | 'type' | 'heic' | 'tiff') =>
    withoutLabel(label, t(`problem.file.${name}`, { label }))
  return {
    'data-max': MAX_FILE_BYTES,
    'data-too-large': text('size'),
    'data-other-kind': text('type'),
    'data-heic': text('heic'),
    'data-tiff': text('tiff'),
  }
}

interface UploadProblemProps {
  readonly id: string
  readonly label: string
  readonly problem: FieldProblem | undefined
}

export const UploadProblem = ({ id, label, problem }: UploadProblemProps) =>
  problem ? (
    <div class="upload upload-refused">
      <ProblemText id={fileInput(id)} label={label} problem={problem} />
    </div>
  ) : null

interface UploadFormProps {
  readonly visit: Pick<ApplicantVisit, 'frame' | 'csrf'>
  readonly list: FileList
  /** The element ID of the place that accepts the file. */
  readonly id?: string
  /** The label of the button that a script shows instead of the input. */
  readonly label: string
  /** Whether phones show another button, which opens the camera. */
  readonly hasCamera?: boolean
  readonly problem: FieldProblem | undefined
}

export function UploadForm(props: UploadFormProps) {
  const { visit, list, id = rowId(list), label, hasCamera = false, problem } = props
  const { action, files, side } = list
  const { t } = visit.frame
  const input = fileInput(id)
  return (
    <PostForm visit={visit} class="upload-form" action={action} encType="multipart/form-data">
      <input
        type="hidden"
        name="replaces"
        value={files.flatMap(({ id, problem }) => (problem ? id : [])).join()}
      />
      {side ? <input type="hidden" name="side" value={side} /> : null}
      <label for={input} id={`${input}-label`}>
        {t('files.choose')}
      </label>
      <template data-label>
        <Icon name={label === t('files.replace') ? 'upload' : 'plus'} />
        {label}
      </template>
      <input
        type="file"
        id={input}
        name="file"
        aria-labelledby={`${id}-title ${input}-label`}
        accept="image/jpeg,image/png,application/pdf"
        {...describeInput(input, { problem })}
      />
      {hasCamera ? (
        <template data-camera>
          <Button
            type="button"
            kind="tonal"
            class="upload-camera"
            icon="camera"
            id={`${id}-camera`}
            aria-labelledby={`${id}-title ${id}-camera`}
          >
            {t('files.camera')}
          </Button>
        </template>
      ) : null}
      <Button kind="tonal" icon="upload" id={`${input}-add`} aria-labelledby={`${input}-add ${id}-title`}>
        {t('files.upload')}
      </Button>
    </PostForm>
  )
}

/** Shows the status of a document. On a phone, there is space only for the shape. */
export const State = ({ frame: { t }, isRefused }: { frame: Frame; isRefused: boolean }) => {
  const status = t(isRefused ? 'files.refused' : 'files.isAdded')
  return (
    <>
      <span class="wide-only">
        <Chip tone={isRefused ? 'danger' : 'success'} icon={isRefused ? 'circle-alert' : 'check'}>
          {status}
        </Chip>
      </span>
      <span class="small-only">
        <Glyph state={isRefused ? 'refused' : 'done'} label={status} />
      </span>
    </>
  )
}

export const FileNames = ({ frame: { t, language }, files }: { frame: Frame } & Pick<FileList, 'files'>) => (
  <ul class="files">
    {files.map(({ id, name, size, problem }) => (
      <li key={id} data-file={id}>
        {name} {size === undefined ? null : <span class="faint number">· {sizeText(language, size)}</span>}
        {problem ? <p class="problem">{t(`files.${problem}`)}</p> : null}
      </li>
    ))}
  </ul>
)

/** Renders the template of a row for a file that a script uploads, with its progress messages. */
export const UploadRow = ({ frame, frame: { t } }: { frame: Frame }) => (
  <template data-upload-row>
    <li
      class="upload"
      data-waiting={t('files.waiting')}
      data-sending={t('files.sending', { percent: '{percent}' })}
      data-storing={t('files.storing')}
      data-added={t('files.added', { name: '{name}' })}
      data-known={t('files.known')}
      data-interrupted={t('files.interrupted')}
      data-session={t('files.session')}
    >
      <div>
        <span>
          <span class="file-name" data-name /> <span class="faint number" data-size />{' '}
          <span data-refusal hidden>
            <State frame={frame} isRefused />
          </span>
        </span>
        <p class="quiet" data-state />
      </div>
      <progress max="1" value="0" aria-label={t('files.progress', { name: '{name}' })} />
      <div class="actions">
        <Button
          type="button"
          kind="tonal"
          icon="refresh-cw"
          aria-label={`${t('picture.again')}: {name}`}
          data-again
          hidden
        >
          {t('picture.again')}
        </Button>
        <Button type="button" kind="link" aria-label={t('files.remove', { name: '{name}' })} data-cancel>
          {t('files.drop')}
        </Button>
      </div>
    </li>
  </template>
)
