/** Returns the fields of a profile, with their labels and values in the reader's language. */
import { COMPLETE_LANGUAGES, type CompleteLanguage } from '../../../../domain/base/language.ts'
import { type FieldType, isYesOrNo } from '../../../../domain/fields/field.ts'
import { SECTIONS } from '../../../../domain/kyb/fields.ts'
import { LINK_SECTION } from '../../../../domain/kyb/form.ts'
import {
  DOCUMENT_SECTION,
  isAddedRow,
  type Part,
  PERSON_SECTION,
  type ProfileDocument,
  type ProfileRow,
  type Texts,
} from '../../../../domain/profile/document.ts'
import { completeRows } from '../../../../domain/profile/draft.ts'
import { type Names, WORDS } from '../../../../domain/profile/words.ts'
import type { ProfileState } from '../../../../use-cases/access/profile-draft.ts'
import { COUNTRIES } from '../../../components/countries.ts'
import { optionOf } from '../../../components/fields.tsx'
import type { Frame } from '../../../components/layout.tsx'
import type { TextName, Translate } from '../../../texts/index.ts'
import type { Option } from '../../base/form.ts'
import { labelOf } from '../../base/words.ts'

export const isCountry = (type: FieldType | undefined): boolean =>
  type === 'country' || type === 'country_list'

export const languageOf = ({ language }: Pick<Frame, 'language'>): CompleteLanguage =>
  COMPLETE_LANGUAGES.find((each) => each === language) ?? 'en'

/** Returns the text in the reader's language, or in another one. */
export const textIn = ({ language }: Pick<Frame, 'language'>, texts: Texts | undefined): string =>
  texts?.[language] || Object.values(texts ?? {}).find(Boolean) || ''

export const labelOfRow = (frame: Frame, row: ProfileRow): string =>
  textIn(frame, row.label) || labelOf(frame.t, row.path)

/** Returns the groups of countries that conditions can name, with their labels. */
export const countryGroups = (frame: Frame): Option[] =>
  Object.entries(WORDS[languageOf(frame)].groups).map(([value, label]) => ({ value, label }))

export function optionsOf(frame: Frame, row: ProfileRow): readonly Option[] {
  const { t } = frame
  if (isYesOrNo(row.type))
    return [
      { value: 'true', label: t('page.yes') },
      { value: 'false', label: t('page.no') },
    ]
  if (isCountry(row.type))
    return [
      ...countryGroups(frame),
      ...COUNTRIES[frame.language].map(({ option, label }) => ({ value: option, label })),
    ]
  return (row.values ?? []).map((value) => ({
    value,
    label: textIn(frame, row.value_labels?.[value]) || (isAddedRow(row) ? value : optionOf(t, value)),
  }))
}

/** Returns the fields that conditions of a part can name. Those of beneficiaries can also name the company's fields. */
export const nameableRows = (document: ProfileDocument, part: Part): ProfileRow[] => [
  ...completeRows(document, part),
  ...(part === 'beneficiary' ? completeRows(document, 'company') : []),
]

/** Returns the names of fields and values in conditions of a part. */
export function namesIn(frame: Frame, document: ProfileDocument, part: Part): Names {
  const rows = new Map(nameableRows(document, part).map((row) => [row.path, row]))
  return {
    language: languageOf(frame),
    field: (path) => {
      const row = rows.get(path)
      return row ? labelOfRow(frame, row) : labelOf(frame.t, path)
    },
    value: (path, value) => {
      const row = rows.get(path)
      return (row && optionsOf(frame, row).find((each) => each.value === value)?.label) ?? null
    },
  }
}

export const sectionsOf = (part: Part): readonly ProfileRow['section'][] =>
  part === 'company' ? SECTIONS : [PERSON_SECTION, part === 'person' ? DOCUMENT_SECTION : LINK_SECTION]

export const sectionLabel = (t: Translate, part: Part, section: ProfileRow['section']): string =>
  t(section === PERSON_SECTION ? `settings.profile.part.${part}` : (`section.${section}` as TextName))

/** Returns the document that pages show: the draft, or the newest version. */
export const documentOf = ({ draft, published }: ProfileState) => draft?.document ?? published
