/** Returns texts about the limits that a profile sets for values. */
import type { Field } from '../../domain/fields/field.ts'
import { limitDate } from '../../domain/fields/limits.ts'
import { dayText, isoDay } from '../values/dates.ts'
import { showNumber } from '../values/numbers.ts'
import type { Frame } from './layout.tsx'

/** Returns the limits of a field as sentences, or null if there are none. */
export function limitsText(frame: Frame, field: Field): string | null {
  const { t, language } = frame
  const { min_length, max_length, minimum, maximum, decimals, earliest, latest, format, dates } = field
  const number = (value: string | number = '') => showNumber('number_text', String(value), language)
  const day = (text = '') => {
    const date = limitDate(text, isoDay(new Date()))
    return date === null ? '' : dayText(frame, new Date(`${date}T00:00:00Z`))
  }
  // A document can expire on any later date.
  const until = dates?.kind === 'expires_on' ? undefined : latest
  const between = (
    name: 'limits.length' | 'limits.number' | 'limits.date',
    [least, most]: readonly [unknown, unknown],
    [min, max]: readonly [string | number, string | number],
  ) => {
    if (least === undefined && most === undefined) return null
    const kind = least === undefined ? 'most' : most === undefined ? 'least' : 'both'
    return t(name, { kind, min, max })
  }
  const texts = [
    between('limits.length', [min_length, max_length], [min_length ?? 0, max_length ?? 0]),
    between('limits.number', [minimum, maximum], [number(minimum), number(maximum)]),
    decimals === undefined ? null : t('limits.decimals', { count: decimals }),
    between('limits.date', [earliest, until], [day(earliest), day(until)]),
    format === undefined ? null : t(`limits.${format}`),
  ].filter((text) => text !== null)
  return texts.length > 0 ? texts.join(' ') : null
}
