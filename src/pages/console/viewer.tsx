/** Component: the viewer for one document next to the data of the case. A script draws the document if possible. */

import type { Request } from 'express'
import { Button } from '../components/button.tsx'
import type { Frame } from '../components/layout.tsx'
import { PDFJS_PATH } from '../pdfjs.ts'

export interface ShownFile {
  readonly id: string
  readonly name: string
  readonly contentType?: string
}

const addressOf = (id: string) => `/console/files/${id}`
const isImage = ({ contentType = '' }: ShownFile) => contentType.startsWith('image/')

/** Links to a document in the viewer. With `picture`, also shows an image in place. */
export const Document = ({ picture = false, ...file }: ShownFile & { readonly picture?: boolean }) => (
  <div class="document" id={`file-${file.id}`}>
    <a
      href={`?document=${file.id}#document`}
      data-document={file.id}
      data-file={addressOf(file.id)}
      data-type={file.contentType}
      data-name={file.name}
    >
      {picture && isImage(file) ? (
        <img class="picture" src={addressOf(file.id)} alt="" loading="lazy" />
      ) : null}
      {file.name}
    </a>
  </div>
)

/** Returns the file that the address names, or null. */
export const chosenOf = ({ query }: Request, files: readonly ShownFile[]): ShownFile | null =>
  files.find(({ id }) => id === query.document) ?? null

const TOOLS = ['out', 'in', 'fit', 'rotate', 'previous', 'next'] as const
const SIGNS = { out: '−', in: '+', fit: '⤢', rotate: '↻', previous: '‹', next: '›' } as const

/** The messages of the script, in the language of the page. */
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

export function Viewer({ frame, chosen }: { readonly frame: Frame; readonly chosen: ShownFile | null }) {
  const { t } = frame
  const shown = chosen && isImage(chosen)
  return (
    <section
      class="card viewer"
      id="document"
      aria-labelledby="document-title"
      tabIndex={-1}
      data-viewer
      data-pdf={PDFJS_PATH}
      {...(chosen && { 'data-chosen': chosen.id })}
      {...wordsOf(frame)}
    >
      <div class="title">
        <h2 id="document-title" data-title>
          {chosen?.name ?? t('console.viewer')}
        </h2>
        <a class="to-data" href={chosen ? `#file-${chosen.id}` : '#content'} data-back hidden={!chosen}>
          {t('console.viewer.back')}
        </a>
        <a href={chosen ? addressOf(chosen.id) : '#document'} data-download download hidden={!chosen}>
          {t('console.viewer.save')}
        </a>
      </div>
      <div class="view-tools" role="toolbar" aria-label={t('console.viewer.tools')} data-tools hidden>
        {TOOLS.map((tool) => (
          <Button
            key={tool}
            type="button"
            kind="secondary"
            data-view={tool}
            {...((tool === 'previous' || tool === 'next') && { 'data-of-pages': true })}
            aria-label={t(`console.viewer.${tool}`)}
            title={t(`console.viewer.${tool}`)}
          >
            <span aria-hidden="true">{SIGNS[tool]}</span>
          </Button>
        ))}
        <span class="quiet" data-page-shown data-of-pages />
      </div>
      <p class="quiet" data-message hidden={Boolean(shown)}>
        {chosen ? t('console.viewer.toSave') : t('console.viewer.empty')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the focus to scroll a large document. */}
      <section class="place" tabIndex={0} aria-label={t('console.viewer.place')} data-place>
        {shown ? <img src={addressOf(chosen.id)} alt={chosen.name} class="picture" /> : null}
      </section>
      <details data-text hidden>
        <summary>{t('console.viewer.text')}</summary>
        <pre />
      </details>
    </section>
  )
}
