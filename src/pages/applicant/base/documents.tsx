/** Component: a checklist of documents, each with an upload form. */
import type { Progress } from '../../../domain/base/progress.ts'
import type { Facts } from '../../../domain/fields/condition.ts'
import { type Field, offered } from '../../../domain/fields/field.ts'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink, PlainButton } from '../../components/button.tsx'
import { labelOf, optionOf } from '../../components/fields.tsx'
import { FileRow } from '../../components/file-row.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon, type IconName, Sheet } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { Menu } from '../../components/menu.tsx'
import { isTextName, LOCALES, ownText, type Translate } from '../../texts/index.ts'
import {
  acceptsFiles,
  type FileList,
  FileNames,
  rowId,
  State,
  UploadForm,
  UploadProblem,
  UploadRow,
} from './upload-form.tsx'
import type { ApplicantVisit } from './visit.ts'

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
            <span class="row-note wide-only">{t('files.another.text')}</span>
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
  const { path, files, required, comment, replyHref } = list
  const id = rowId(list)
  const label = labelOf(t, path)
  const isRefused = comment !== null
  const isAdded = files.length > 0 && !isRefused
  const problem = problems.find(({ field }) => field === id)
  // A refused upload does not change the state of the documents that the list already has.
  const isRed = isRefused || (files.length === 0 && problem !== undefined)
  return (
    <FileRow
      {...acceptsFiles(frame, id, label)}
      state={isRed ? 'refused' : isAdded ? 'added' : 'missing'}
      icon={isRed ? undefined : documentIcon(list.field)}
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
            hasCamera={isRefused}
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
      <UploadProblem id={id} label={label} problem={problem} />
    </FileRow>
  )
}

/** The icons of required documents. Other documents have the icon of a page. */
const DOCUMENT_ICONS: Readonly<Record<string, IconName>> = {
  incorporation_certificates: 'landmark',
  articles_of_association: 'scroll-text',
  shareholders_registers: 'users',
  directors_registers: 'briefcase',
  evidence_of_ubos: 'user',
  proof_regulations: 'scale',
  power_of_attorney: 'key-round',
}

export const documentIcon = (field: string): IconName => DOCUMENT_ICONS[field] ?? 'file-text'

const guideTo = ({ t }: Frame, { path, accepted }: FileList): string =>
  accepted ?? documentHint(t, path) ?? t('files.format')

/** Returns the hint that says which document is meant, or undefined if there is none. */
export function documentHint(t: Translate, path: string): string | undefined {
  const name = `guide.${path.split('.').at(-1)}`
  return ownText(t, 'help', path) ?? (isTextName(name) ? t(name) : undefined)
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
      {list.files.map((file) => (
        <RemoveFile key={file.id} visit={visit} list={list} file={file} />
      ))}
      {isAdded ? <UploadForm visit={visit} list={list} label={t('files.more')} problem={undefined} /> : null}
    </Menu>
  )
}

interface RemoveFileProps {
  readonly visit: DocumentsProps['visit']
  readonly list: FileList
  readonly file: FileList['files'][number]
}

export const RemoveFile = ({ visit, list, file: { id, name } }: RemoveFileProps) => (
  <PostForm visit={visit} action={`${list.action}/${id}/remove`}>
    <PlainButton>
      <Icon name="trash-2" />
      {visit.frame.t('files.remove', { name })}
    </PlainButton>
  </PostForm>
)
