/** Component: a list from which several countries can be selected. A script makes it searchable. */
import { flagPath } from '../assets/assets.ts'
import { COUNTRIES } from './countries.ts'
import type { Frame } from './layout.tsx'

/** The number of options that are visible without scripts. */
const SIZE = 7

interface CountryListProps {
  readonly frame: Frame
  readonly id: string
  readonly name: string
  /** ISO 3166-1 alpha-2 codes. */
  readonly chosen: readonly string[]
}

export const CountryList = ({ frame: { t, language }, chosen, ...attributes }: CountryListProps) => (
  <select
    {...attributes}
    multiple
    size={SIZE}
    data-picker=""
    data-flag={flagPath('{country}')}
    data-add={t('picker.add')}
    data-remove={t('picker.remove', { name: '{name}' })}
  >
    {COUNTRIES[language].map(({ option, label }) => (
      <option key={option} value={option} selected={chosen.includes(option)}>
        {label}
      </option>
    ))}
  </select>
)
