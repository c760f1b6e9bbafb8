/** Component: the fields that the open document proves, with the buttons to accept or flag them. */
import { markKey } from '../../../domain/review/review-mark.ts'
import type { Frame } from '../../components/layout.tsx'
import { FieldRow, type FieldRowProps, FileMark } from './facts.tsx'
import { AcceptFoot, MarkCount, type Marks } from './marks.tsx'
import type { CaseDocument } from './viewer.tsx'

export interface ProvenField {
  readonly field: FieldRowProps['field']
  readonly about?: string
}

interface ProofProps extends Pick<FieldRowProps, 'corrections' | 'replies' | 'due' | 'changes'> {
  readonly frame: Frame
  readonly marks: Marks
  readonly documents: readonly CaseDocument[]
  readonly chosen: CaseDocument | null
  readonly provenBy: (path: string) => readonly ProvenField[]
}

/** Renders one part for each type of document. A script shows only the part for the open document. */
export function Proofs({ documents, chosen, provenBy, ...shared }: ProofProps) {
  const paths = [...new Set(documents.map(({ path }) => path))]
  return (
    <>
      {paths.map((path) => (
        <Proof
          key={path}
          {...shared}
          path={path}
          documents={documents.filter((each) => each.path === path)}
          fields={provenBy(path)}
          chosen={chosen}
        />
      ))}
    </>
  )
}

interface PartProps extends Omit<ProofProps, 'provenBy'> {
  readonly path: string
  readonly fields: readonly ProvenField[]
}

function Proof({ path, documents, fields, chosen, ...shared }: PartProps) {
  const { frame, marks } = shared
  const { t } = frame
  const id = `proof-${path}`
  const places = [
    ...documents.map((file) => ({ path, fileId: file.id })),
    ...fields.map(({ field }) => ({ path: field.path, fileId: null })),
  ]
  const keys = places.filter(marks.canFlag).map(markKey)
  return (
    <section class="proof" aria-labelledby={`${id}-title`} data-proof={path} hidden={chosen?.path !== path}>
      <div class="proof-head">
        <h2 id={`${id}-title`}>{t('console.proof')}</h2>
        <MarkCount marks={marks} id={`${id}-count`} keys={keys} />
      </div>
      <div class="proof-rows">
        {documents.map((file, n) => (
          <FileMark
            key={file.id}
            {...{ frame, marks, path }}
            // The viewer, which is next to these rows, shows the warnings of the open document.
            file={file.id === chosen?.id ? { ...file, warnings: [] } : file}
            scope={id}
            title={file.label === documents[n - 1]?.label ? undefined : file.label}
          />
        ))}
        <dl class="facts">
          {fields.map((each) => (
            <FieldRow key={each.field.path} {...shared} {...each} scope={id} />
          ))}
        </dl>
      </div>
      <AcceptFoot marks={marks} id={`${id}-rest`} keys={keys} hasDocuments />
    </section>
  )
}
