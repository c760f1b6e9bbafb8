/** What is found wrong with a field or a document: entered beside it, sent with the decision. */
import { FINDING_CODES, type Finding as FindingSaid } from '../../domain/decision/decision.ts'
import type { Frame } from '../components/layout.tsx'
import type { Sent } from '../form-values.ts'
import { labelOf, wordOf } from './words.ts'

/** Whatever is found beside the fields belongs to this form, wherever it stands. */
export const DECISION_FORM = 'decision'

const CODE = 'finding.'
const COMMENT = 'finding_comment.'

/** As it was typed, in the words of the API. */
export interface TypedFinding {
  readonly path: string
  readonly file_id?: string
  readonly code: string
  readonly comment?: string
}

interface FindingProps {
  readonly frame: Frame
  readonly path: string
  /** Of the field or document. */
  readonly label: string
  /** One document among several. */
  readonly fileId?: string
  readonly typed: readonly TypedFinding[]
}

/** A comment for which no code was chosen. */
export const isUnchosen = ({ code }: TypedFinding): boolean => code === ''

const keyOf = (path: string, fileId?: string) => (fileId === undefined ? path : `${path}#${fileId}`)

/** By which a page leads to what is found. */
export const placeOf = ({ path, file_id }: TypedFinding): string => CODE + keyOf(path, file_id)

export function Finding({ frame: { t }, path, label, fileId, typed }: FindingProps) {
  const key = keyOf(path, fileId)
  const found = typed.find((each) => keyOf(each.path, each.file_id) === key)
  const isWrong = found !== undefined && isUnchosen(found)
  return (
    <details class="finding" open={found !== undefined} data-finding={key}>
      <summary>
        {t('console.finding')}
        <span class="unseen">: {label}</span>
      </summary>
      {isWrong ? (
        <p class="problem" id={`${CODE}${key}-problem`}>
          {t('console.finding.choose', { label })}
        </p>
      ) : null}
      <select
        id={CODE + key}
        name={CODE + key}
        form={DECISION_FORM}
        aria-label={t('console.finding.code', { label })}
        {...(isWrong && { 'aria-invalid': 'true', 'aria-describedby': `${CODE}${key}-problem` })}
      >
        <option value="">{t('console.finding.none')}</option>
        {FINDING_CODES.map((code) => (
          <option key={code} value={code} selected={code === found?.code}>
            {t(`console.finding.${code}`)}
          </option>
        ))}
      </select>
      {/* In an input of one line, Enter would decide. */}
      <textarea
        name={COMMENT + key}
        form={DECISION_FORM}
        rows={1}
        aria-label={t('console.finding.comment', { label })}
        placeholder={t('console.finding.placeholder')}
      >
        {found?.comment}
      </textarea>
    </details>
  )
}

/** What is wrong, and with what, in words. */
export const describeFinding = (
  frame: Frame,
  { path, code, comment }: Pick<FindingSaid, 'path' | 'comment'> & { code: string },
) => [
  labelOf(frame.t, path.split('.').at(-1) ?? ''),
  [code && wordOf(frame, 'console.finding', code), comment].filter(Boolean).join(': '),
]

/** What a decision says, each beside its name. */
export const Decided = ({ rows }: { readonly rows: readonly (readonly (string | undefined | null)[])[] }) => (
  <dl>
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The findings that a form sent; a comment alone is one whose code is still to be chosen. */
export const findingsOf = (sent: Sent): TypedFinding[] =>
  Object.entries(sent).flatMap(([name, value]) => {
    if (!name.startsWith(CODE)) return []
    const key = name.slice(CODE.length)
    const [path = '', fileId] = key.split('#')
    const code = textOf(value)
    const comment = textOf(sent[COMMENT + key])
    if (code === '' && comment === '') return []
    return [{ path, code, ...(fileId && { file_id: fileId }), ...(comment && { comment }) }]
  })

const textOf = (value: Sent[string]) => [value ?? []].flat()[0]?.trim() ?? ''
