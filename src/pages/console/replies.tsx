/** Component: the applicant's replies, each with the finding that it disputes. */
import type { Reply } from '../../domain/decision/decision.ts'
import { correctionText } from '../applicant/correction.ts'
import type { Frame } from '../components/layout.tsx'

interface RepliesProps {
  readonly frame: Frame
  readonly replies: readonly Reply[]
  readonly labelOf: (reply: Reply) => string
}

export function Replies({ frame, replies, labelOf }: RepliesProps) {
  if (replies.length === 0) return null
  return (
    <section class="card" aria-labelledby="replies-title">
      <h2 id="replies-title">{frame.t('console.replies')}</h2>
      <dl>
        {replies.map((each) => (
          <div key={`${each.path}#${each.fileId ?? ''}`}>
            <dt>{labelOf(each)}</dt>
            <dd>
              <p class="quiet">{correctionText(frame, [each], each.path)}</p>
              <p>{each.reply}</p>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
