/** Component: the limits of a row's values, which depend on its type. */
import type { FieldType, Limits } from '../../../../domain/fields/field.ts'
import { FORMATS } from '../../../../domain/fields/formats.ts'
import { LIMIT_FITS, LIMIT_NAMES } from '../../../../domain/fields/limits.ts'
import type { ProfileRow } from '../../../../domain/profile/document.ts'
import { periodInWords } from '../../../../domain/profile/words.ts'
import type { Frame } from '../../../components/layout.tsx'
import type { TextName } from '../../../texts/index.ts'
import type { Sent } from '../../../values/form-values.ts'
import { textOf, toOptions } from '../../base/form.ts'
import { Input, Select } from '../../base/inputs.tsx'
import type { Ask } from '../ask.ts'
import { readPeriod } from './condition.ts'
import { languageOf } from './fields.ts'

/** The limits that the form shows. It keeps the others. */
const SHOWN = LIMIT_NAMES.filter((name) => name !== 'country')
type Name = keyof Limits

const HINTS: Partial<Record<Name, TextName>> = {
  earliest: 'settings.day.hint',
  latest: 'settings.day.hint',
  max_age: 'settings.max_age.hint',
}

const fits = (name: Name, type: FieldType): boolean => LIMIT_FITS[name].includes(type)

export function LimitFields({ ask, row }: { readonly ask: Ask; readonly row: ProfileRow }) {
  const { t, frame, again } = ask
  const names = SHOWN.filter((name) => fits(name, row.type))
  const isOpen = names.some(
    (name) => row[name] !== undefined || again.problems.some(({ field }) => field === name),
  )
  if (names.length === 0) return null
  return (
    <details class="profile-limits" open={isOpen}>
      <summary>{t('settings.profile.limits')}</summary>
      <div class="profile-fields">
        {names.map((name) => {
          const about = { frame, again, name }
          const value = row[name]
          if (name === 'format' || name === 'expires') {
            const values = name === 'format' ? FORMATS : ['true']
            return (
              <Select
                key={name}
                {...about}
                none={`settings.${name}.none`}
                options={toOptions(values, (each) => t(`settings.${name}.${each}` as TextName))}
                chosen={[String(value ?? '')]}
              />
            )
          }
          const hint = HINTS[name]
          const text = value === undefined ? null : String(value)
          return (
            <Input
              key={name}
              {...about}
              hint={hint && t(hint)}
              value={isTime(name) && text ? inWords(frame, text) : text}
            />
          )
        })}
      </div>
    </details>
  )
}

const isTime = (name: Name): boolean => name === 'max_age' || name === 'earliest' || name === 'latest'

/** Returns the limit with its period in words, such as “+6 months”. */
const inWords = (frame: Frame, text: string): string =>
  text.replace(/P\w+/, (period) => periodInWords(languageOf(frame), period))

/** Reads a period such as “+6 months”. Returns other texts, such as days, unchanged. */
function readTime(text: string): string {
  const [, sign, period = ''] = /^(\+?)\s*(P?\d{1,4}\s*\p{L}+)$/u.exec(text) ?? []
  const read = readPeriod(period)
  return read === null ? text : sign + read
}

const INTEGER = /^\d+$/

/** Converts an entered limit. Returns other texts unchanged, so that the schema refuses them. */
function readLimit(name: Name, text: string): unknown {
  if (name === 'expires') return text === 'true'
  if (isTime(name)) return readTime(text)
  if (name === 'minimum' || name === 'maximum') return text.replace(',', '.')
  return (name === 'min_length' || name === 'max_length' || name === 'decimals') && INTEGER.test(text)
    ? Number(text)
    : text
}

/** Returns the limits that the form has sent for a row of this type. Limits that do not fit the type are removed. */
export const sentLimits = (sent: Sent, row: ProfileRow, type: FieldType): Partial<Record<Name, unknown>> =>
  Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      if (!fits(name, type)) return [name, undefined]
      if (sent[name] === undefined) return [name, row[name]]
      const text = textOf(sent, name)
      return [name, text === null ? undefined : readLimit(name, text)]
    }),
  )
