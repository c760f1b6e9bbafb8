/** Component: the findings of a decision. The decision form sends them. */
import type { ComponentChildren } from 'preact'
import { FINDING_CODES, type Finding as FindingSaid } from '../../../domain/decision/decision.ts'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../values/form-values.ts'
import { textOf } from '../base/form.ts'
import { labelOf, wordOf } from '../base/words.ts'

/** The ID of the decision form, to which the inputs of all findings belong. */
export const DECISION_FORM = 'decision'

const CODE = 'finding.'
const COMMENT = 'finding_comment.'

/** A finding as the form sends it, with the field names of the API. */
export interface TypedFinding {
  readonly path: string
  readonly file_id?: string | undefined
  readonly code: string
  readonly comment?: string
}

/** Returns true if the finding has no code yet, for example only a comment. */
export const isUnchosen = ({ code }: TypedFinding): boolean => code === ''

/** Returns the key of a field or document, which is part of the input names of its finding. */
export const keyOf = (path: string, fileId?: string) => (fileId === undefined ? path : `${path}#${fileId}`)

export const placeOf = ({ path, file_id }: TypedFinding): string => CODE + keyOf(path, file_id)

interface FindingInputsProps {
  readonly frame: Frame
  readonly label: string
  readonly finding: TypedFinding
}

export function FindingInputs({ frame: { t }, label, finding }: FindingInputsProps) {
  const key = keyOf(finding.path, finding.file_id)
  const isWrong = isUnchosen(finding) && finding.comment !== undefined
  return (
    <>
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
          <option key={code} value={code} selected={code === finding.code}>
            {t(`console.finding.${code}`)}
          </option>
        ))}
      </select>
      {/* In a single-line input, pressing Enter would submit the decision. */}
      <textarea
        name={COMMENT + key}
        form={DECISION_FORM}
        rows={1}
        aria-label={t('console.finding.comment', { label })}
        placeholder={t('console.finding.placeholder')}
      >
        {finding.comment}
      </textarea>
    </>
  )
}

export const describeFinding = (
  frame: Frame,
  { path, code, comment }: Pick<FindingSaid, 'path' | 'comment'> & { code: string },
) => [
  labelOf(frame.t, path.split('.').at(-1) ?? ''),
  [code && wordOf(frame, 'console.finding', code), comment].filter(Boolean).join(': '),
]

/** Lists values with their labels, such as the parts of a decision. */
export const Decided = ({ rows }: { readonly rows: readonly (readonly ComponentChildren[])[] }) => (
  <dl class="values">
    {rows.map(([label, value]) => (
      <div key={String(label)}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Returns the findings that a form has sent. A finding can have a comment without a code. */
export const findingsOf = (sent: Sent): TypedFinding[] =>
  Object.keys(sent).flatMap((name) => {
    if (!name.startsWith(CODE)) return []
    const key = name.slice(CODE.length)
    const [path = '', fileId] = key.split('#')
    const code = textOf(sent, name) ?? ''
    const comment = textOf(sent, COMMENT + key) ?? ''
    if (code === '' && comment === '') return []
    return [{ path, code, ...(fileId && { file_id: fileId }), ...(comment && { comment }) }]
  })
