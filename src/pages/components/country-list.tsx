/** Component: a list from which one or several countries can be selected. A script makes it searchable. */
import { renderToString } from 'preact-render-to-string'
import { flagPath } from '../assets/assets.ts'
import { LANGUAGE_NAMES, type Language } from '../texts/index.ts'
import { COUNTRIES } from './countries.ts'
import type { Frame } from './layout.tsx'

/** The number of options that are visible without scripts. */
const SIZE = 7

const htmlOf = (value: string, label: string): string =>
  renderToString(<option value={value}>{label}</option>)

/** The options of all countries as HTML, because a page has several lists. */
const OPTIONS = Object.fromEntries(
  LANGUAGE_NAMES.map((language) => [
    language,
    COUNTRIES[language].map(({ option, label }) => htmlOf(option, label)).join(''),
  ]),
) as Record<Language, string>

const optionsOf = (language: Language, chosen: readonly string[], groups = ''): string =>
  chosen.reduce(
    (html, code) => html.replace(`value="${code}"`, `value="${code}" selected`),
    groups + OPTIONS[language],
  )

interface CountryListProps {
  readonly frame: Frame
  readonly id: string
  readonly name: string
  readonly chosen: readonly string[]
  readonly multiple?: boolean
  /** Groups of countries, which precede the countries. */
  readonly groups?: readonly { readonly value: string; readonly label: string }[] | undefined
  /** The field whose country a script proposes. */
  readonly 'data-propose'?: string | undefined
}

export const CountryList = ({
  frame: { t, language },
  chosen,
  groups = [],
  ...attributes
}: CountryListProps) => (
  <select
    {...attributes}
    {...(attributes.multiple && {
      size: SIZE,
      'data-add': t('picker.add'),
      'data-remove': t('picker.remove', { name: '{name}' }),
    })}
    data-picker=""
    data-countries=""
    data-flag={flagPath('{country}')}
    dangerouslySetInnerHTML={{
      __html:
        (attributes.multiple ? '' : htmlOf('', t('page.choose'))) +
        optionsOf(language, chosen, groups.map(({ value, label }) => htmlOf(value, label)).join('')),
    }}
  />
)
