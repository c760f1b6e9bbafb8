/** Component: a checklist of documents, each with an upload form. */
import { MAX_FILE_BYTES, type Side } from '../../domain/base/file.ts'
import type { Progress } from '../../domain/base/progress.ts'
import type { Facts } from '../../domain/fields/condition.ts'
import { type Field, offered } from '../../domain/fields/field.ts'
import { Banner } from '../components/banner.tsx'
import { Button, ButtonLink, PlainButton } from '../components/button.tsx'
import { Chip } from '../components/chip.tsx'
import { labelOf, optionOf } from '../components/fields.tsx'
import { FileRow } from '../components/file-row.tsx'
import { PostForm } from '../components/form.tsx'
import { Glyph } from '../components/glyph.tsx'
import { Icon } from '../components/icon.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { Menu } from '../components/menu.tsx'
import { Sheet } from '../components/sheet.tsx'
import { isTextName, LOCALES, ownText } from '../texts/index.ts'
import { sizeText } from '../values/numbers.ts'
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
  /** The side of an identity card that the row is for, or `both` for a file with all that is needed. */
  readonly side?: Side | 'both'
  /** The documents that the profile accepts, or null if it accepts all. */
  readonly accepted?: string | null
  /** The correction that a reviewer has requested, or why the documents do not count. */
  readonly comment: string | null
  /** The page on which the applicant can dispute the comment, or null. */
  readonly replyHref: string | null
}

/** Returns the element ID of the row. The row for a single side is next to the one of the list at the path. */
export const rowId = ({ path, side = 'both' }: Pick<FileList, 'path' | 'side'>): string =>
  side === 'both' ? path : `${path}-${side}`

/** Returns the element ID of the file input in the row. */
const fileInput = (id: string): string => `${id}-file`

interface DocumentsProps {
  readonly visit: Pick<ApplicantVisit, 'frame' | 'csrf'>
  readonly lists: readonly FileList[]
  readonly problems: readonly FieldProblem[]
}

/** Shows the required documents and those to correct. The other lists are behind "Add another document". */
export function DocumentChecklist({
  visit,
  lists,
  problems,
  progress: { done, total },
}: DocumentsProps & { readonly progress: Progress }) {
  const { t } = visit.frame
  const needed = lists.filter(({ required, comment }) => required || comment !== null)
  const others = lists.filter((list) => !needed.includes(list))
  const optional = others.filter(({ files }) => files.length === 0)
  const isWrong = optional.some(({ path }) => problems.some(({ field }) => field === path))
  return (
    <section class="card checklist" aria-labelledby="needed-title">
      <div class="checklist-head">
        <h2 id="needed-title">{t('files.needed')}</h2>
        <p class="checklist-count" data-fresh="count">
          {t('files.count', { added: done, total })}
          <progress max={Math.max(1, total)} value={done} aria-hidden="true" />
        </p>
      </div>
      <ul class="rows">
        <DocumentRows
          visit={visit}
          lists={[...needed, ...others.filter(({ files }) => files.length > 0)]}
          problems={problems}
        />
      </ul>
      <details class="more-documents" open={isWrong}>
        <summary>
          <Icon name="circle-plus" size={20} />
          <span class="row-text">
            <span class="row-name">{t('files.another')}</span>
            <span class="row-note">{t('files.another.text')}</span>
          </span>
          <Icon name="chevron-down" />
        </summary>
        <ul class="rows">
          <DocumentRows visit={visit} lists={optional} problems={problems} />
        </ul>
      </details>
      <UploadRow frame={visit.frame} />
    </section>
  )
}

/** Shows the lists without groups, for example the photos of a person. */
export const Documents = (props: DocumentsProps) => (
  <ul class="card rows">
    <DocumentRows {...props} />
    <UploadRow frame={props.visit.frame} />
  </ul>
)

const DocumentRows = ({ visit, lists, problems }: DocumentsProps) => (
  <>
    {lists.map((list) => (
      <DocumentRow key={rowId(list)} visit={visit} list={list} problems={problems} />
    ))}
  </>
)

interface RowProps extends Pick<DocumentsProps, 'visit' | 'problems'> {
  readonly list: FileList
}

function DocumentRow({ visit, list, problems }: RowProps) {
  const { frame } = visit
  const { t } = frame
  const { path, side = 'both', files, required, comment, replyHref } = list
  const id = rowId(list)
  const label = side === 'both' ? labelOf(t, path) : t(`files.side.${side}`)
  const isRefused = comment !== null
  const isAdded = files.length > 0 && !isRefused
  const problem = problems.find(({ field }) => field === id)
  // A refused upload does not change the state of the documents that the list already has.
  const isRed = isRefused || (files.length === 0 && problem !== undefined)
  return (
    <FileRow
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      data-documents
      data-max={MAX_FILE_BYTES}
      data-too-large={t('problem.file.size', { label })}
      data-other-kind={t('problem.file.type', { label })}
      data-heic={t('problem.file.heic', { label })}
      data-tiff={t('problem.file.tiff', { label })}
      state={isRed ? 'refused' : isAdded ? 'added' : 'missing'}
      image={isAdded ? <Sheet class="thumbnail" /> : null}
      nameId={`${id}-title`}
      name={
        <>
          {label} {required || files.length > 0 ? null : <span class="optional">{t('page.optional')}</span>}
        </>
      }
      note={files.length > 0 ? <FileNames frame={frame} files={files} /> : guideTo(frame, list)}
      end={
        <>
          {isRed || isAdded ? <State frame={frame} isRefused={isRed} /> : null}
          {files.length > 0 ? <FileMenu visit={visit} list={list} label={label} isAdded={isAdded} /> : null}
        </>
      }
      form={
        isAdded ? null : (
          <UploadForm
            visit={visit}
            list={list}
            label={t(isRefused ? 'files.replace' : 'files.add')}
            problem={problem}
          />
        )
      }
    >
      {isRefused ? (
        <Banner tone="danger" title={comment}>
          {replyHref === null ? null : (
            <ButtonLink kind="link" href={replyHref}>
              {t('revision.reply')}
            </ButtonLink>
          )}
        </Banner>
      ) : null}
      {problem ? (
        <div class="upload upload-refused">
          <p class="problem" id={`${fileInput(id)}-problem`}>
            {problem.message}
          </p>
        </div>
      ) : null}
    </FileRow>
  )
}

/** Shows the status of a document. On a phone, there is space only for the shape. */
const State = ({ frame: { t }, isRefused }: { frame: Frame; isRefused: boolean }) => {
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

const FileNames = ({ frame: { t, language }, files }: { frame: Frame } & Pick<FileList, 'files'>) => (
  <ul class="files">
    {files.map(({ id, name, size, problem }) => (
      <li key={id} data-file={id}>
        {name} {size === undefined ? null : <span class="faint number">· {sizeText(language, size)}</span>}
        {problem ? <p class="problem">{t(`files.${problem}`)}</p> : null}
      </li>
    ))}
  </ul>
)

/** Returns the hint about this type of document. */
function guideTo({ t }: Frame, { field, path, accepted, side }: FileList): string {
  if (side) return t(`files.side.${side}.text`)
  const name = `guide.${field}`
  return accepted ?? ownText(t, 'help', path) ?? (isTextName(name) ? t(name) : t('files.format'))
}

/** Returns the accepted documents of a list as text, or null if it accepts all. */
export function acceptedText(
  { t, language }: Frame,
  name: string,
  field: Field | undefined,
  facts: Facts,
): string | null {
  if (field?.values === undefined) return null
  const names = offered(field, facts).map((each) => optionOf(t, each, name))
  const list = new Intl.ListFormat(LOCALES[language], { type: 'disjunction' }).format(names)
  return names.length === 0 ? null : t('limits.documents', { list })
}

interface FileMenuProps {
  readonly visit: DocumentsProps['visit']
  readonly list: FileList
  readonly label: string
  readonly isAdded: boolean
}

/** Shows a menu to remove files, and to add more files to a list that already has one. */
const FileMenu = ({ visit, list, label, isAdded }: FileMenuProps) => {
  const { t } = visit.frame
  return (
    <Menu label={t('files.menu', { label })}>
      {list.files.map(({ id, name }) => (
        <PostForm key={id} visit={visit} action={`${list.action}/${id}/remove`}>
          <PlainButton>
            <Icon name="trash-2" />
            {t('files.remove', { name })}
          </PlainButton>
        </PostForm>
      ))}
      {isAdded ? (
        <UploadForm
          visit={visit}
          list={list}
          label={t(list.side ? 'files.replace' : 'files.more')}
          problem={undefined}
        />
      ) : null}
    </Menu>
  )
}

interface UploadFormProps {
  readonly visit: DocumentsProps['visit']
  readonly list: FileList
  /** The label of the button that a script shows instead of the input. */
  readonly label: string
  readonly problem: FieldProblem | undefined
}

function UploadForm({
  visit,
  list,
  list: { action, files, side = 'both' },
  label,
  problem,
}: UploadFormProps) {
  const { t } = visit.frame
  const id = rowId(list)
  const input = fileInput(id)
  return (
    <PostForm visit={visit} class="upload-form" action={action} encType="multipart/form-data">
      <input
        type="hidden"
        name="replaces"
        value={files.flatMap(({ id, problem }) => (problem ? id : [])).join()}
      />
      {side === 'both' ? null : <input type="hidden" name="side" value={side} />}
      <label for={input} id={`${input}-label`}>
        {t('files.choose')}
      </label>
      <template data-label>
        <Icon name={label === t('files.replace') ? 'upload' : 'plus'} />
        <span class="upload-word">{label}</span>
      </template>
      <input
        type="file"
        id={input}
        name="file"
        aria-labelledby={`${id}-title ${input}-label`}
        accept="image/jpeg,image/png,application/pdf"
        {...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${input}-problem` })}
      />
      <template data-camera>
        <input
          type="file"
          id={`${id}-camera`}
          accept="image/*"
          capture="environment"
          aria-labelledby={`${id}-title ${id}-camera-label`}
        />
        <label class="button button-secondary button-icon" for={`${id}-camera`} id={`${id}-camera-label`}>
          <Icon name="camera" size={20} />
          <span class="upload-word">{t('files.camera')}</span>
        </label>
      </template>
      <Button kind="tonal" icon="upload" id={`${input}-add`} aria-labelledby={`${input}-add ${id}-title`}>
        {t('files.upload')}
      </Button>
    </PostForm>
  )
}

/** Renders the template of a row for a file that a script uploads, with its progress messages. */
const UploadRow = ({ frame, frame: { t } }: { frame: Frame }) => (
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
      data-dismiss={t('files.dismiss')}
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
