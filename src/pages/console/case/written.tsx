/** Component: the text of a refused decision. */
import type { Frame } from '../../components/layout.tsx'
import { wordOf } from '../base/words.ts'
import type { Typed } from './decision.ts'
import { Decided, describeFinding } from './finding.tsx'

/** Shows the text of a refused decision if the page no longer contains a form for it. */
export function Written({ frame, frame: { t }, typed }: { readonly frame: Frame; readonly typed: Typed }) {
  const { outcome, reason_code, client_comment, internal_note, findings = [] } = typed
  const said = [
    [t('console.outcome'), outcome && wordOf(frame, 'console.outcome', outcome)],
    [t('console.reason'), reason_code && wordOf(frame, 'console.reason', reason_code)],
    [t('console.comment'), client_comment],
    [t('console.internal'), internal_note],
    ...findings.map((finding) => describeFinding(frame, finding)),
  ].filter(([, value]) => value)
  if (said.length === 0) return null
  return (
    <section class="card" aria-labelledby="written-title">
      <h2 id="written-title">{t('console.written')}</h2>
      <p>{t('console.written.text')}</p>
      <Decided rows={said} />
    </section>
  )
}
