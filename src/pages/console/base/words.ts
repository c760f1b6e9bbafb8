/** Formats codes and times as text. */
import { cleanLine } from '../../../domain/base/clean-text.ts'
import type { Language } from '../../../domain/base/language.ts'
import type { Topic } from '../../../domain/base/topics.ts'
import { readFailure } from '../../../domain/webhook/failure.ts'
import { labelOf as labelOfField } from '../../components/fields.tsx'
import type { Frame } from '../../components/layout.tsx'
import { isTextName, LOCALES, type Translate } from '../../texts/index.ts'
import { formatOf } from '../../values/dates.ts'

/** Returns the label of a field for operators. The labels on applicants' pages address the applicant. */
export function labelOf(t: Translate, field: string): string {
  const name = `console.field.${field}`
  return isTextName(name) ? t(name) : labelOfField(t, field)
}

/** Returns the text for a code, or for its beginning before a full stop, or the code if there is no text. */
export function wordOf({ t }: Pick<Frame, 't'>, group: string, code: string): string {
  for (let part = code; part !== ''; part = part.slice(0, Math.max(part.lastIndexOf('.'), 0))) {
    const name = `${group}.${part}`
    if (isTextName(name)) return t(name)
  }
  return code
}

/** Returns the name, or the client's ID without the invisible characters, which are part of the stored ID. */
export const nameOrId = (name: string | null | undefined, externalId: string): string =>
  name || cleanLine(externalId)

/** Returns the name of a topic with its meaning. */
export const topicText = (t: Translate, topic: Topic): string => t(`settings.topic.${topic}`)

export const topicsText = (t: Translate, topics: readonly Topic[]): string =>
  topics.map((topic) => topicText(t, topic)).join(', ')

/** Returns why an attempt to deliver an event failed, from its stored text. */
export function failureWords({ t }: Pick<Frame, 't'>, text: string): string {
  const known = readFailure(text)
  return known ? [t(`console.failure.${known.failure}`), known.detail].filter(Boolean).join(' ') : text
}

/** Formats a time in UTC, because operators work in several countries. */
export const momentOf = (frame: Pick<Frame, 'language'>, moment: Date | number): string =>
  formatMoment(frame, typeof moment === 'number' ? moment * 1_000 : moment)

/** Formats the time of day in UTC. */
export const timeText = ({ language }: Pick<Frame, 'language'>, moment: Date): string =>
  moment.toLocaleTimeString(LOCALES[language], {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })

const formatMoment = formatOf({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

export const capital = (language: Language, text: string): string =>
  text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
