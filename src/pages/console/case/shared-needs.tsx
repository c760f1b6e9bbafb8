/** Component: the points in the summary of a case that need the operator's attention. */
import { unusableWarning } from '../../../domain/base/file.ts'
import type { Reply } from '../../../domain/decision/decision.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { KeptValue } from '../../../domain/review/removed.ts'
import type { Duplicates, UnderReview } from '../../../domain/review/review.ts'
import { openHitsIn, type ScreeningResult } from '../../../domain/screening/hit.ts'
import { correctionText } from '../../applicant/base/correction.ts'
import type { Frame } from '../../components/layout.tsx'
import { momentOf, wordOf } from '../base/words.ts'
import { type Check, Names, type Need } from './needs.tsx'
import { scoreText } from './screening-hit.tsx'
import { tabPath } from './tabs.ts'
import { type CaseDocument, documentPath } from './viewer.tsx'

/** The maximum number of hits that have a separate row. */
const HITS_IN_SIGHT = 3

export function screeningNeeds(frame: Frame, base: string, { hits }: ScreeningResult): Need[] {
  const { t } = frame
  const href = tabPath(base, 'screening')
  const open = openHitsIn({ hits })
  const rows: Need[] = open.slice(0, HITS_IN_SIGHT).map(({ id, subject, entry, score, dismissalBy }) => ({
    key: id,
    state: 'refused',
    title: t('console.needs.hit', { name: subject.names[0] ?? '' }),
    note: [
      ...entry.topics.map((topic) => wordOf(frame, 'console.topic', topic)),
      `${t('console.hit.score')} ${scoreText(frame, score)}`,
      ...(dismissalBy === null ? [] : [t('console.hit.proposed.short')]),
    ].join(' · '),
    href,
  }))
  const others = open.length - rows.length
  return others > 0
    ? [...rows, { key: 'hits', state: 'refused', title: t('console.hits', { count: others }), href }]
    : rows
}

export function screeningCheck(frame: Frame, screening: ScreeningResult): Check {
  const { listVersion } = screening
  const isScreened = listVersion !== null && listVersion !== 'off' && screening.screenedAt !== null
  return {
    name: frame.t('console.screening.lists'),
    value: screeningText(frame, screening),
    isDone: isScreened && openHitsIn(screening).length === 0,
  }
}

function screeningText({ t }: Frame, { listVersion, screenedAt, hits }: ScreeningResult): string {
  if (listVersion === 'off') return t('console.screening.off')
  if (listVersion === null || screenedAt === null) return t('console.screening.notYet')
  return hits.length === 0 ? t('console.screening.none') : t('console.hits', { count: hits.length })
}

export const risksNeed = (
  { t }: Frame,
  { risks, riskLevel }: Pick<UnderReview, 'risks' | 'riskLevel'>,
): Need[] =>
  risks.length === 0 || riskLevel === 'low'
    ? []
    : [
        {
          key: 'risks',
          state: 'warning',
          title: t(`console.riskLevel.${riskLevel}`),
          note: risks.map((risk) => t(`console.risk.${risk}`)).join(', '),
        },
      ]

export function duplicatesNeed(frame: Frame, { duplicates, areMore }: Duplicates): Need[] {
  if (duplicates.length === 0) return []
  const { t } = frame
  const namesOf = (reasons: readonly string[]) =>
    reasons.map((reason) => wordOf(frame, 'console.duplicate', reason)).join(' · ')
  return [
    {
      key: 'duplicates',
      state: 'warning',
      title: t('console.duplicates', { count: duplicates.length, more: areMore ? '+' : '' }),
      note: namesOf([...new Set(duplicates.flatMap(({ reasons }) => reasons))]),
      more: (
        <>
          <p class="quiet">{t('console.duplicates.hint')}</p>
          <ul class="list">
            {duplicates.map(({ kind, id, title, vault, status, reasons }) => (
              <li key={id}>
                <a href={consolePath(kind, id)}>{title ?? id}</a>{' '}
                <span class="quiet">
                  {vault.name}, {wordOf(frame, 'console.status', status)}
                </span>
                <div>{namesOf(reasons)}</div>
              </li>
            ))}
            {areMore ? <li class="quiet">{t('console.duplicates.more')}</li> : null}
          </ul>
        </>
      ),
    },
  ]
}

/** Returns a point for each document that no one can read. */
export const filesNeed = ({ t }: Frame, base: string, documents: readonly CaseDocument[]): Need[] =>
  documents.flatMap((file): Need[] => {
    const problem = unusableWarning(file.warnings ?? [])
    if (problem === undefined) return []
    const note = [file.name, t(`console.warning.${problem}`)].join(' · ')
    return [{ key: file.id, state: 'refused', title: file.label, note, href: documentPath(base, file) }]
  })

interface KeptProps {
  readonly frame: Frame
  readonly removed: readonly KeptValue[]
  readonly labelOf: (path: string) => string
  readonly fileName: (id: string) => string | undefined
}

/** Returns one point with the values that were removed under a legal hold or an open case, or an empty list. */
export function keptNeed({ frame, removed, labelOf, fileName }: KeptProps): Need[] {
  if (removed.length === 0) return []
  const { t } = frame
  const names = removed.map(({ path, value, isFile, removedAt }) =>
    t('console.kept.value', {
      label: labelOf(path),
      value: isFile ? (fileName(String(value)) ?? '') : [value].flat().join(', '),
      moment: momentOf(frame, removedAt),
    }),
  )
  return [
    {
      key: 'kept',
      state: 'warning',
      title: t('console.kept'),
      note: t('console.kept.note'),
      more: <Names names={names} />,
    },
  ]
}

interface RepliesProps {
  readonly frame: Frame
  readonly replies: readonly Reply[]
  readonly labelOf: (reply: Reply) => string
}

export const repliesNeed = ({ frame, replies, labelOf }: RepliesProps): Need[] =>
  replies.length === 0
    ? []
    : [
        {
          key: 'replies',
          state: 'info',
          title: frame.t('console.replies', { count: replies.length }),
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
