/** Component: lists of documents, each with an upload form. */

import { MAX_FILE_BYTES } from '../../domain/file.ts'
import { Button } from '../components/button.tsx'
import { labelOf, ReplyLink } from '../components/fields.tsx'
import { PostForm } from '../components/form.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import type { Language } from '../texts/index.ts'
import type { Visit } from '../visit.ts'

export interface FileList {
  readonly path: string
  readonly field: string
  readonly action: string
  readonly files: readonly {
    readonly id: string
    readonly name: string
    /** In bytes, if known. */
    readonly size?: number | undefined
  }[]
  readonly required: boolean
  /** The correction that a reviewer requests. */
  readonly comment: string | null
  /** The page where the applicant can dispute the comment. */
  readonly replyHref: string | null
}

/** The ID of the input of the list at a path. */
export const fileInput = (path: string): string => `${path}-file`

interface DocumentsProps {
  readonly visit: Pick<Visit, 'frame' | 'csrf'>
  readonly lists: readonly FileList[]
  readonly problems: readonly FieldProblem[]
}

export function Documents({ visit, lists, problems }: DocumentsProps) {
  const { frame } = visit
  const { t, language } = frame
  return (
    <>
      <Row frame={frame} />
      {lists.map(({ path, field, action, files, required, comment, replyHref }) => {
        const input = fileInput(path)
        const problem = problems.find((each) => each.field === input)
        const label = labelOf(t, field)
        return (
          <section
            key={path}
            id={path}
            class="documents"
            tabIndex={-1}
            aria-labelledby={`${path}-title`}
            data-documents
            data-max={MAX_FILE_BYTES}
            data-too-large={t('problem.file.size', { label })}
            data-other-kind={t('problem.file.type', { label })}
          >
            <h2 id={`${path}-title`}>
              {label} {required ? null : <span class="quiet">{t('page.optional')}</span>}
            </h2>
            <div data-files>
              {comment ? <p class="comment">{comment}</p> : null}
              <ReplyLink frame={frame} href={replyHref} />
              {files.length === 0 ? <p class="quiet">{t('files.none')}</p> : null}
              <ul class="files">
                {files.map(({ id, name, size }) => (
                  <li key={id} data-file={id}>
                    <span class="file">
                      {name}{' '}
                      {size === undefined ? null : <span class="quiet size">{sizeText(language, size)}</span>}
                    </span>
                    <PostForm visit={visit} action={`${action}/${id}/remove`}>
                      <Button kind="link">{t('files.remove', { name })}</Button>
                    </PostForm>
                  </li>
                ))}
              </ul>
            </div>
            <PostForm visit={visit} action={action} encType="multipart/form-data">
              <label for={input} id={`${input}-label`} data-several={t('files.chooseSeveral')}>
                {t('files.choose')}
              </label>
              {problem ? (
                <p class="problem" id={`${input}-problem`}>
                  {problem.message}
                </p>
              ) : null}
              <input
                type="file"
                id={input}
                name="file"
                aria-labelledby={`${path}-title ${input}-label`}
                accept="image/jpeg,image/png,application/pdf"
                {...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${input}-problem` })}
              />
              <template data-camera>
                <input
                  type="file"
                  id={`${path}-camera`}
                  accept="image/*"
                  capture="environment"
                  aria-labelledby={`${path}-title ${path}-camera-label`}
                />
                <label for={`${path}-camera`} id={`${path}-camera-label`}>
                  {t('files.camera')}
                </label>
              </template>
              <template data-drop>
                <span class="drop quiet">{t('files.drop')}</span>
              </template>
              <Button kind="secondary" id={`${input}-add`} aria-labelledby={`${input}-add ${path}-title`}>
                {t('files.upload')}
              </Button>
            </PostForm>
          </section>
        )
      })}
    </>
  )
}

/** The row of a file that a script uploads, with the messages about its progress. */
const Row = ({ frame: { t } }: { frame: Frame }) => (
  <template data-upload-row>
    <li
      class="upload"
      data-waiting={t('files.waiting')}
      data-sending={t('files.sending', { percent: '{percent}' })}
      data-storing={t('files.storing')}
      data-added={t('files.added', { name: '{name}' })}
      data-known={t('files.known', { name: '{name}' })}
      data-interrupted={t('files.interrupted')}
      data-session={t('files.session')}
    >
      <div class="file">
        <span data-name /> <span class="quiet size" data-size />
        <progress max="1" value="0" aria-label={t('files.progress', { name: '{name}' })} />
        <p class="quiet" data-state />
      </div>
      <div class="actions">
        <Button type="button" kind="link" data-again hidden>
          {t('files.again', { name: '{name}' })}
        </Button>
        <Button type="button" kind="link" data-cancel>
          {t('files.cancel', { name: '{name}' })}
        </Button>
      </div>
    </li>
  </template>
)

const sizeText = (language: Language, bytes: number): string => {
  const [value, unit] =
    bytes < 1_000_000 ? [Math.ceil(bytes / 1_000), 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}
