/** Component: the viewer, which shows one document next to the data, and the strip of all documents. */
import type { Request } from 'express'
import { type FileWarning, type Side, unusableWarning } from '../../../domain/base/file.ts'
import { PEOPLE_PATH } from '../../../domain/kyb/requirements.ts'
import { PDFJS_PATH } from '../../assets/pdfjs.ts'
import { ButtonLink, IconButton } from '../../components/button.tsx'
import { Glyph, Icon, type IconName, Sheet } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Marks } from './marks.tsx'
import { type CaseTab, tabPath } from './tabs.ts'

export interface ShownFile {
  readonly id: string
  readonly name: string
  readonly contentType?: string
  readonly warnings?: readonly FileWarning[]
  readonly side?: Side | null
}

/** A document of a case, with its position in the data. */
export interface CaseDocument extends ShownFile {
  /** The path of the document's field. */
  readonly path: string
  /** The type of document. */
  readonly label: string
}

const addressOf = (id: string) => `/console/files/${id}`
const isImage = ({ contentType = '' }: ShownFile) => contentType.startsWith('image/')

/** Returns the address of a case with this document in the viewer. */
export const documentPath = (base: string, { id }: ShownFile) =>
  `${tabPath(base, 'documents')}&document=${id}#document`

/** Returns the attributes of a link that opens a document in the viewer. */
const opening = (base: string, file: ShownFile) => ({
  href: documentPath(base, file),
  'data-document': file.id,
})

interface DocumentProps extends ShownFile {
  /** The path of the case's page. */
  readonly base: string
}

export const Document = ({ base, ...file }: DocumentProps) => (
  <div class="document" id={`file-${file.id}`}>
    <a {...opening(base, file)}>{file.name}</a>
  </div>
)

/** Renders a link to the viewer that shows the image, or the name if the document is not an image. */
export const Picture = ({ base, ...file }: DocumentProps) => (
  <a class="picture" {...opening(base, file)} title={file.name}>
    {isImage(file) ? <img src={addressOf(file.id)} alt={file.name} loading="lazy" /> : file.name}
  </a>
)

/** Returns the document in the address, or the first one, which the tab of owners takes from a person. */
export const chosenOf = (
  { query }: Request,
  files: readonly CaseDocument[],
  tab: CaseTab,
): CaseDocument | null =>
  files.find(({ id }) => id === query.document) ??
  (tab === 'owners' ? files.find(({ path }) => path.startsWith(`${PEOPLE_PATH}.`)) : undefined) ??
  files[0] ??
  null

const TOOLS = {
  previous: 'chevron-left',
  next: 'chevron-right',
  out: 'zoom-out',
  in: 'zoom-in',
  fit: 'maximize',
  rotate: 'rotate-cw',
} as const satisfies Record<string, IconName>

const wordsOf = ({ t }: Frame) => ({
  'data-loading': t('console.viewer.loading'),
  'data-broken': t('console.viewer.broken'),
  'data-encrypted': t('console.viewer.encrypted'),
  'data-slow': t('console.viewer.slow'),
  'data-gone': t('console.viewer.gone'),
  'data-ended': t('console.viewer.ended'),
  'data-away': t('console.viewer.away'),
  'data-page': t('console.viewer.page', { page: '{page}', pages: '{pages}' }),
})

interface ViewerProps {
  readonly marks: Marks
  readonly documents: readonly CaseDocument[]
  readonly chosen: CaseDocument | null
}

export function Viewer({ marks, documents, chosen }: ViewerProps) {
  const { frame } = marks.visit
  const { t } = frame
  const shown = chosen && isImage(chosen)
  return (
    <section
      class="viewer"
      id="document"
      aria-labelledby="document-title"
      tabIndex={-1}
      data-viewer
      data-pdf={PDFJS_PATH}
      {...(chosen && { 'data-chosen': chosen.id })}
      {...wordsOf(frame)}
    >
      <div class="viewer-bar">
        <div class="viewer-name">
          <h2 id="document-title" data-title>
            {chosen?.label ?? t('console.viewer')}
          </h2>{' '}
          <span class="quiet" data-note>
            {chosen ? placeText(frame, documents, chosen) : null}
          </span>
        </div>
        <div class="view-tools" role="toolbar" aria-label={t('console.viewer.tools')} data-tools hidden>
          {(Object.keys(TOOLS) as (keyof typeof TOOLS)[]).map((tool) => (
            <IconButton
              key={tool}
              type="button"
              icon={TOOLS[tool]}
              label={t(`console.viewer.${tool}`)}
              data-view={tool}
              {...((tool === 'previous' || tool === 'next') && { 'data-of-pages': true })}
            />
          ))}
          <span class="quiet number" data-page-shown data-of-pages />
        </div>
        <ButtonLink
          kind="quiet"
          class="button-icon"
          href={chosen ? addressOf(chosen.id) : '#document'}
          aria-label={t('console.viewer.save')}
          title={t('console.viewer.save')}
          data-download
          download
          hidden={!chosen}
        >
          <Icon name="download" size={20} />
        </ButtonLink>
      </div>
      {documents.flatMap(({ id, warnings = [] }) =>
        warnings.map((warning) => (
          <p key={`${id} ${warning}`} class="comment" data-notice-of={id} hidden={id !== chosen?.id}>
            {t(`console.warning.${warning}`)}
          </p>
        )),
      )}
      <p class="quiet viewer-message" data-message hidden={Boolean(shown)}>
        {chosen ? t('console.viewer.toSave') : t('console.viewer.empty')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the focus to scroll a large document. */}
      <section class="place" tabIndex={0} aria-label={t('console.viewer.place')} data-place>
        {shown ? <img src={addressOf(chosen.id)} alt={chosen.name} /> : null}
      </section>
      <details class="viewer-text small" data-text hidden>
        <summary>{t('console.viewer.text')}</summary>
        <pre />
      </details>
      <Film marks={marks} documents={documents} chosen={chosen} />
    </section>
  )
}

const placeText = ({ t }: Frame, documents: readonly CaseDocument[], { id, name }: CaseDocument): string =>
  `${name} · ${t('console.viewer.of', {
    number: documents.findIndex((each) => each.id === id) + 1,
    count: documents.length,
  })}`

/**
 * Lists all documents of the case. Keyboard shortcuts move along this list. A script adds a thumbnail to each opened
 * document. Other documents have no thumbnail, because the timeline records each access.
 */
function Film({ marks, documents, chosen }: ViewerProps) {
  const { frame } = marks.visit
  if (documents.length === 0) return null
  return (
    <nav class="film" aria-label={frame.t('section.business_files')} data-film>
      {documents.map((each) => (
        <a
          key={each.id}
          {...opening(marks.base, each)}
          data-path={each.path}
          data-file={addressOf(each.id)}
          data-type={each.contentType}
          data-name={each.name}
          data-label={each.label}
          data-place-text={placeText(frame, documents, each)}
          title={each.name}
          {...(each.id === chosen?.id && { 'aria-current': 'true' })}
        >
          <span class="film-page">
            {isImage(each) ? <Icon name="image" size={20} /> : <Sheet />}
            <FilmGlyph marks={marks} document={each} />
          </span>
          <span class="film-name">{each.label}</span>
          <span class="unseen">{each.name}</span>
        </a>
      ))}
    </nav>
  )
}

type FilmGlyphProps = Pick<ViewerProps, 'marks'> & { readonly document: CaseDocument }

function FilmGlyph({ marks, document: { id, path, warnings = [] } }: FilmGlyphProps) {
  const { t } = marks.visit.frame
  const mark = marks.byKey.get(`${path}#${id}`) ?? marks.byKey.get(path)
  const problem = unusableWarning(warnings)
  return (
    <span class="film-glyph" id={`film-${id}`} data-fresh>
      {mark ? (
        <Glyph
          state={mark.code === null ? 'done' : 'warning'}
          label={t(mark.code === null ? 'console.mark.accepted' : 'console.mark.flagged')}
        />
      ) : problem ? (
        <Glyph state="refused" label={t(`console.warning.${problem}`)} />
      ) : null}
    </span>
  )
}
