/** Returns the waiting time of a case as text. */
import { unixSeconds } from '../../../domain/base/unix-time.ts'
import type { Frame } from '../../components/layout.tsx'
import { durationText } from '../../values/durations.ts'
import { wordOf } from './words.ts'

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Returns the party that the case waits on, and how long it has waited. */
export const waitText = (frame: Frame, party: string, since: Date): string =>
  party === 'nobody'
    ? wordOf(frame, 'console.party', party)
    : `${wordOf(frame, 'console.party', party)}, ${ageText(frame, since)}`

interface Age {
  readonly unit: (typeof STEPS)[number][0]
  readonly count: number
}

/** Returns the largest unit of which at least one has passed, and how many have. */
function ageOf(since: Date): Age {
  const seconds = Math.max(0, unixSeconds(new Date()) - unixSeconds(since))
  const [unit, length] = STEPS.find(([, each]) => seconds >= each) ?? ['minute', 60]
  return { unit, count: Math.floor(seconds / length) }
}

const unitText = ({ language }: Frame, { unit, count }: Age): string => durationText(language, unit, count)

export const ageText = (frame: Frame, since: Date): string => unitText(frame, ageOf(since))

/** Returns how much of the review target has passed, such as "5 min of 24 hr". The target is in hours. */
export function targetText(frame: Frame, share: number, targetHours: number): string {
  const minutes = Math.floor(Math.round(share * targetHours * 3_600) / 60)
  const spent: Age =
    minutes < 60 ? { unit: 'minute', count: minutes } : { unit: 'hour', count: Math.floor(minutes / 60) }
  return frame.t('console.age', {
    spent: unitText(frame, spent),
    target: unitText(frame, { unit: 'hour', count: targetHours }),
  })
}

/** Returns the age as it follows "for" or its translation, which can need another case of the noun. */
export const sinceText = ({ t }: Frame, since: Date): string => t('console.age.since', { ...ageOf(since) })
