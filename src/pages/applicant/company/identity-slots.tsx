/** Component: the places for a person's identity document: both sides of an identity card, or a passport. */
import { TWO_SIDED } from '../../../domain/kyb/fields/beneficiaries.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { Glyph, Icon, Sheet } from '../../components/icon.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { Menu } from '../../components/menu.tsx'
import { sizeText } from '../../values/numbers.ts'
import { Documents, RemoveFile } from '../base/documents.tsx'
import {
  acceptsFiles,
  type FileList,
  rowId,
  UploadForm,
  UploadProblem,
  UploadRow,
} from '../base/upload-form.tsx'
import { ownerDocuments, sidesOf } from './document-lists.ts'
import type { Way } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

interface UploadsProps {
  readonly visit: CompanyVisit
  readonly person: Beneficiary
  readonly problems: readonly FieldProblem[]
}

/** Shows one place for each side of an identity card, or one for a passport or a PDF with both sides. */
export function IdentityUploads({ visit, person, way, problems }: UploadsProps & { readonly way: Way }) {
  const list = ownerDocuments(visit, person).find(({ field }) => field === TWO_SIDED)
  if (!list) return null
  const sides = sidesOf(visit, list)
  const isWhole = sides
    ? way === 'passport' && list.files.length === 0
    : list.comment === null && list.files.length === 1
  const places = isWhole ? [list] : sides
  if (places === null) return <Documents visit={visit} lists={[list]} problems={problems} />
  const [front, back] = places.map(({ files }) => files)
  const [photo] = front ?? []
  return (
    <div class="slots-place" id={list.path} tabIndex={-1}>
      <ul class="slots">
        {places.map((each) => (
          <Slot key={rowId(each)} visit={visit} list={each} problems={problems} />
        ))}
      </ul>
      {photo && back?.length === 0 ? (
        <PostForm visit={visit} class="slots-else" action={`${list.action}/${photo.id}/passport`}>
          {visit.frame.t('files.side.passport')}
          <Button kind="link">{visit.frame.t('files.side.passport.do')}</Button>
        </PostForm>
      ) : null}
      <UploadRow frame={visit.frame} />
    </div>
  )
}

/** Shows the person's other documents, such as a proof of address. */
export function OtherUploads({ visit, person, problems }: UploadsProps) {
  const lists = ownerDocuments(visit, person).filter(({ field }) => field !== TWO_SIDED)
  return lists.length === 0 ? null : <Documents visit={visit} lists={lists} problems={problems} />
}

interface SlotProps extends Omit<UploadsProps, 'person'> {
  readonly list: FileList
}

function Slot({ visit, visit: { frame }, list, problems }: SlotProps) {
  const { t, language } = frame
  const { path, side, files } = list
  const id = side ? rowId(list) : `${path}-whole`
  const [file] = files
  const label = side ? t(`files.side.${side}`) : file ? labelOf(t, path) : t('person.slot.passport')
  const problem = problems.find(({ field }) => field === rowId(list))
  return (
    <li class={file ? 'slot slot-added' : 'slot'} {...acceptsFiles(frame, id, label)}>
      {file ? (
        <div class="slot-frame">
          <Sheet class="thumbnail" />
          <Glyph state={file.problem ? 'refused' : 'done'} />
        </div>
      ) : (
        <div class="slot-frame">
          <Icon name={side === 'back' ? 'scan-line' : side ? 'id-card' : 'book-user'} size={24} />
          {t(`files.side.${side ?? 'whole'}.text`)}
        </div>
      )}
      <div class="slot-head">
        <span class="row-name" id={`${id}-title`}>
          {side ? <span aria-hidden="true">{t(`files.slot.${side}`)}</span> : null}
          <span class={side ? 'unseen' : undefined}>{label}</span>
        </span>
        {file ? (
          <Menu label={t('files.menu', { label })}>
            <RemoveFile visit={visit} list={list} file={file} />
          </Menu>
        ) : null}
      </div>
      <p class="slot-note">
        {file ? (
          <>
            {file.size === undefined
              ? t('files.isAdded')
              : t('files.slot.added', { size: sizeText(language, file.size) })}
            <span class="files slot-file" data-file={file.id}>
              {file.name}
            </span>
          </>
        ) : (
          <span class="tone-warning">{t('files.slot.missing')}</span>
        )}
      </p>
      {file?.problem ? <p class="problem">{t(`files.${file.problem}`)}</p> : null}
      <UploadForm
        visit={visit}
        list={list}
        id={id}
        label={t(file ? 'files.replace' : 'files.choose')}
        hasCamera={!file}
        problem={problem}
      />
      <div class="row-more">
        <UploadProblem id={id} label={label} problem={problem} />
      </div>
    </li>
  )
}
