/** Component: the summary of an identification, with open points and checks. */
import type { IdentificationUnderReview } from '../../../domain/review/review.ts'
import type { Frame } from '../../components/layout.tsx'
import { labelOf, momentOf, wordOf } from '../base/words.ts'
import { checkNote, checkText } from './checks.tsx'
import { type Check, Checked, type Need, Needs } from './needs.tsx'
import {
  duplicatesNeed,
  keptNeed,
  repliesNeed,
  risksNeed,
  screeningCheck,
  screeningNeeds,
} from './shared-needs.tsx'
import { tabPath } from './tabs.ts'

interface SummaryProps {
  readonly frame: Frame
  readonly base: string
  readonly review: IdentificationUnderReview
  /** True if another part of the page shows what is open: the question about the photos, or holds. */
  readonly isOptional: boolean
}

export function IdentificationSummary(props: SummaryProps) {
  const isPending = props.review.identification.state.pending !== null
  return (
    <>
      <Needs
        frame={props.frame}
        needs={needsOf(props)}
        isOptional={props.isOptional || isPending}
        isPending={isPending}
      />
      <Checked frame={props.frame} checks={checksOf(props)} />
    </>
  )
}

function needsOf({ frame, frame: { t }, base, review }: SummaryProps): Need[] {
  const { screening, photos, identification } = review
  const result = review.checks.findLast((check) => check.result !== null)?.result
  return [
    ...screeningNeeds(frame, base, screening),
    ...(review.givenName?.isSame === false
      ? [
          {
            key: 'name',
            state: 'warning' as const,
            title: t('console.givenName.differs'),
            note: review.givenName.fullName,
          },
        ]
      : []),
    ...duplicatesNeed(frame, review.duplicates),
    ...(result?.reasonCode && result.fields?.length
      ? [
          {
            key: 'check',
            state: 'warning' as const,
            title: wordOf(frame, 'console.reason', result.reasonCode),
            note: result.fields.map((field) => labelOf(t, field)).join(', '),
          },
        ]
      : []),
    ...keptNeed({
      frame,
      removed: review.removed,
      labelOf: (path) => labelOf(t, path),
      fileName: (id) => photos.find((photo) => photo.id === id)?.name,
    }),
    ...photos.flatMap(({ attribute, warnings }) =>
      warnings.map((warning) => ({
        key: `${attribute} ${warning}`,
        state: 'warning' as const,
        title: labelOf(t, attribute),
        note: t(`console.warning.${warning}`),
        href: tabPath(base, 'documents'),
      })),
    ),
    ...repliesNeed({
      frame,
      replies: identification.review?.replies ?? [],
      labelOf: ({ path }) => labelOf(t, path),
    }),
    ...risksNeed(frame, review),
  ]
}

function checksOf({ frame, frame: { t }, review }: SummaryProps): Check[] {
  const { identification, photos, screening, checks } = review
  const check = checks.at(-1)
  const { consented_at: consentedAt, consent_language: language } = identification.profile
  const sharp = photos.filter(({ warnings }) => warnings.length === 0).length
  return [
    screeningCheck(frame, screening),
    ...(check
      ? [
          {
            name: t('console.check.provider'),
            value: checkText(frame, check),
            isDone: check.result?.outcome === 'approved',
            note: checkNote(frame, check),
          },
        ]
      : []),
    ...(photos.length > 0
      ? [
          {
            name: t('console.check.photos'),
            value: t('console.check.of', { count: sharp, total: photos.length }),
            isDone: sharp === photos.length,
          },
        ]
      : []),
    ...(consentedAt
      ? [
          {
            name: t('console.field.consent'),
            value: momentOf(frame, new Date(consentedAt)),
            isDone: true,
            note:
              language &&
              t('console.check.language', { language: wordOf(frame, 'settings.language', language) }),
          },
        ]
      : []),
  ]
}
