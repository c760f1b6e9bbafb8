/** Component: the applicant's replies, each with the finding that it disputes. */
import type { Reply } from '../../domain/decision/decision.ts'
import { correctionText } from '../applicant/correction.ts'
import type { Frame } from '../components/layout.tsx'
import type { Need } from './needs.tsx'

interface RepliesProps {
  readonly frame: Frame
  readonly replies: readonly Reply[]
  readonly labelOf: (reply: Reply) => string
}

/** Returns the replies as one point of the summary, or an empty list if there are none. */
export const repliesNeed = ({ frame, replies, labelOf }: RepliesProps): Need[] =>
  replies.length === 0
    ? []
    : [
        {
          key: 'replies',
          state: 'info',
          title: `${frame.t('console.replies')}: ${replies.length}`,
          more: (
            <dl class="values">
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
          ),
        },
      ]
