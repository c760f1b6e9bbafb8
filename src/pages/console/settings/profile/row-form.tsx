/** Component: the panel that adds or changes one row of a profile, next to the list of rows. */
import { findProblems } from '../../../../contracts/check.ts'
import { profileDocument } from '../../../../contracts/profile.ts'
import { RequestRefused } from '../../../../domain/base/errors.ts'
import { FIELD_TYPES, type FieldType } from '../../../../domain/fields/field.ts'
import { ADDED } from '../../../../domain/kyb/form.ts'
import {
  type Part,
  PERSON_SECTION,
  type ProfileDocument,
  type ProfileRow,
  type Texts,
} from '../../../../domain/profile/document.ts'
import { isAddedRow } from '../../../../domain/profile/draft.ts'
import { rowInWords } from '../../../../domain/profile/words.ts'
import { Button, ButtonLink } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { LANGUAGES } from '../../../texts/index.ts'
import type { Sent } from '../../../values/form-values.ts'
import type { Ask } from '../ask.ts'
import { textOf } from '../form.ts'
import { Input, Select, TextArea } from '../inputs.tsx'
import { SettingsForm } from '../parts.tsx'
import { askingOf, conditionsOf, LINE_TESTS, type Line, sentAsking, WHEN } from './condition.ts'
import { labelOfRow, nameableRows, namesIn, sectionLabel, sectionsOf } from './fields.ts'
import { LimitFields, sentLimits } from './limits-form.tsx'

/** The row that the panel shows. */
export interface Subject {
  readonly document: ProfileDocument
  readonly part: Part
  /** The row in the document, or an empty one if the form adds a row. */
  readonly row: ProfileRow
  readonly isNew: boolean
  /** The languages of the vault. */
  readonly languages: readonly string[]
}

export const emptyRow = (part: Part, section: string | undefined): ProfileRow => ({
  path: ADDED,
  section: sectionsOf(part).find((each) => each === section) ?? sectionsOf(part)[0] ?? PERSON_SECTION,
  type: 'short_text',
})

interface PanelProps {
  readonly ask: Ask
  readonly subject: Subject
  readonly action: string
  readonly back: string
  readonly maySave: boolean
  /** The problems of the check that concern this row. */
  readonly problems: readonly string[]
}

export function RowPanel({ ask, subject, action, back, maySave, problems }: PanelProps) {
  const { t } = ask
  const { row, isNew } = subject
  const isOwn = isAddedRow(row)
  return (
    <section class="profile-panel" aria-labelledby="panel-title">
      <div class="profile-panel-head">
        <h2 id="panel-title">{isNew ? t('settings.profile.add') : labelOfRow(ask.frame, row)}</h2>
        <a href={back} aria-label={t('settings.profile.close')}>
          <Icon name="x" size={20} />
        </a>
      </div>
      {problems.length > 0 ? (
        <ul class="profile-problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : null}
      <SettingsForm
        ask={ask}
        action={action}
        back={back}
        isNew
        press="settings.profile.save"
        maySave={maySave}
        buttons={
          !isNew && (isOwn || subject.document[subject.part].rows.some(({ path }) => path === row.path)) ? (
            <ButtonLink kind="danger" href={action.replace('/profile?', '/profile/remove?')}>
              {t(isOwn ? 'settings.profile.remove' : 'settings.profile.reset')}
            </ButtonLink>
          ) : null
        }
      >
        {isOwn ? <OwnFields ask={ask} subject={subject} /> : null}
        <LimitFields ask={ask} row={row} />
        <AskingFields ask={ask} subject={subject} />
      </SettingsForm>
    </section>
  )
}

const inLanguage = (name: string, language: string): string => `${name}_${language}`

/** The fields of a row that the profile adds. The specification fixes those of the other rows. */
function OwnFields({ ask, subject }: { readonly ask: Ask; readonly subject: Subject }) {
  const { t, frame, again } = ask
  const { row, part, isNew, languages } = subject
  const about = { frame, again }
  const sections = sectionsOf(part)
  const values = row.values ?? []
  return (
    <div class="profile-fields">
      <Input
        {...about}
        name="path"
        hint={t('settings.path.hint')}
        value={row.path.slice(ADDED.length)}
        required
        {...(!isNew && { readonly: true })}
      />
      {languages.map((language) => (
        <Input
          key={language}
          {...about}
          name={inLanguage('label', language)}
          value={row.label?.[language] ?? null}
          isOptional={false}
        />
      ))}
      <Select
        {...about}
        name="type"
        options={FIELD_TYPES.map((value) => ({ value, label: t(`settings.type.${value}`) }))}
        chosen={[row.type]}
      />
      {sections.length > 1 ? (
        <Select
          {...about}
          name="section"
          options={sections.map((value) => ({ value, label: sectionLabel(t, part, value) }))}
          chosen={[row.section]}
        />
      ) : (
        <input type="hidden" name="section" value={sections[0]} />
      )}
      {languages.map((language) => (
        <TextArea
          key={language}
          {...about}
          rows={2}
          name={inLanguage('help', language)}
          value={row.help?.[language] ?? null}
          isOptional
        />
      ))}
      <TextArea
        {...about}
        rows={3}
        name="values"
        hint={t('settings.values.hint')}
        value={values.join('\n')}
        isOptional
      />
      {languages.map((language) => (
        <TextArea
          key={language}
          {...about}
          rows={3}
          name={inLanguage('choices', language)}
          value={values.map((value) => row.value_labels?.[value]?.[language] ?? '').join('\n')}
          isOptional
        />
      ))}
    </div>
  )
}

/** The sentence that says when pages ask the question, with one line for each test and an empty one. */
function AskingFields({ ask, subject }: { readonly ask: Ask; readonly subject: Subject }) {
  const { t, frame, again } = ask
  const { row, part, document } = subject
  const stored = askingOf(frame, document, part, row)
  const asking = again.typed ? sentAsking(again.typed) : stored
  const about = { frame, again: { ...again, typed: null } }
  const moments = stored.when === 'other' ? ([...WHEN, 'other'] as const) : WHEN
  const lines: (Line | null)[] = [...asking.lines, null]
  return (
    <fieldset class="profile-asking" id="when-fields">
      <legend>{t('settings.profile.asking')}</legend>
      {stored.when === 'other' ? <p class="hint">{rowInWords(namesIn(frame, document, part), row)}</p> : null}
      <div class="field-pair">
        <Select
          {...about}
          name="need"
          options={(['required', 'optional'] as const).map((value) => ({
            value,
            label: t(`settings.need.${value}`),
          }))}
          chosen={[asking.need]}
        />
        <Select
          {...about}
          name="when"
          options={moments.map((value) => ({ value, label: t(`settings.when.${value}`) }))}
          chosen={[asking.when]}
        />
      </div>
      {lines.map((line, index) => (
        <LineFields key={index} ask={ask} subject={subject} line={line} index={index} />
      ))}
      <Button kind="quiet" icon="plus" name="more" value="yes">
        {t('settings.profile.more')}
      </Button>
      <Select
        {...about}
        name="otherwise"
        options={(['not_asked', 'optional'] as const).map((value) => ({
          value,
          label: t(`settings.otherwise.${value}`),
        }))}
        chosen={[asking.otherwise]}
      />
    </fieldset>
  )
}

interface LineProps {
  readonly ask: Ask
  readonly subject: Subject
  readonly line: Line | null
  readonly index: number
}

function LineFields({ ask, subject: { document, part, row }, line, index }: LineProps) {
  const { t, frame, again } = ask
  const about = { frame, again: { ...again, typed: null } }
  const fields = nameableRows(document, part)
    .filter(({ path }) => path !== row.path)
    .map((each) => ({ value: each.path, label: labelOfRow(frame, each) }))
  return (
    <div class="profile-line">
      <Select
        {...about}
        name={`field_${index}`}
        label={t('settings.line.field')}
        none="page.choose"
        options={fields}
        chosen={[line?.field ?? '']}
      />
      <Select
        {...about}
        name={`test_${index}`}
        label={t('settings.line.test')}
        options={LINE_TESTS.map((value) => ({ value, label: t(`settings.test.${value}`) }))}
        chosen={[line?.test ?? 'is']}
      />
      <Input
        {...about}
        name={`value_${index}`}
        label={t('settings.line.value')}
        value={line?.value ?? null}
        isOptional={false}
      />
    </div>
  )
}

const linesOf = (sent: Sent, name: string): string[] =>
  (textOf(sent, name) ?? '').split('\n').map((line) => line.trim())

/** Returns the texts that the form has sent. Keeps those in languages that the form does not show. */
function sentTexts(
  sent: Sent,
  name: string,
  languages: readonly string[],
  stored: Texts = {},
): Texts | undefined {
  const texts = languages.map(
    (language) => [language, textOf(sent, inLanguage(name, language)) ?? ''] as const,
  )
  const all = { ...stored, ...Object.fromEntries(texts) }
  const given = Object.entries(all).filter(([, text]) => text !== '')
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

/** Returns the row that the form has sent. Throws `invalid` for each input with a problem. */
export function sentRow(
  { frame, sent }: Ask,
  { document, part, row, isNew, languages }: Subject,
): ProfileRow {
  const asking = sentAsking(sent)
  const conditions =
    asking.when === 'other'
      ? { required: row.required, asked: row.asked }
      : conditionsOf(frame, document, part, asking)
  if (typeof conditions === 'number')
    throw new RequestRefused({ code: 'invalid', field: `value_${conditions}` })
  const own = isAddedRow(row) ? ownOf(sent, row, isNew, languages) : {}
  const limits = sentLimits(sent, row, own.type ?? row.type)
  const changed = { ...row, ...own, ...limits, ...conditions }
  const given = Object.fromEntries(
    Object.entries(changed).filter(([, value]) => value !== undefined),
  ) as unknown as ProfileRow
  requireValid(given)
  return given
}

function ownOf(
  sent: Sent,
  row: ProfileRow,
  isNew: boolean,
  languages: readonly string[],
): Partial<ProfileRow> {
  const values = linesOf(sent, 'values').filter(Boolean)
  const labels = languages.map((language) => linesOf(sent, inLanguage('choices', language)))
  const hasLabels = labels.some((lines) => lines.some(Boolean))
  const labelled = values.map((value, at) => {
    const given = languages.flatMap((language, index) => {
      const text = labels[index]?.[at]
      return text ? [[language, text]] : []
    })
    return [value, { ...row.value_labels?.[value], ...Object.fromEntries(given) }] as const
  })
  return {
    path: isNew ? ADDED + (textOf(sent, 'path') ?? '') : row.path,
    section: textOf(sent, 'section') as ProfileRow['section'],
    type: textOf(sent, 'type') as FieldType,
    label: sentTexts(sent, 'label', languages, row.label) ?? {},
    help: sentTexts(sent, 'help', languages, row.help),
    values: values.length > 0 ? values : undefined,
    value_labels: values.length > 0 && hasLabels ? Object.fromEntries(labelled) : undefined,
  }
}

/** The inputs of the members of a row that have other names. */
const INPUTS: Readonly<Record<string, string>> = {
  value_labels: 'values',
  asked: 'when',
  required: 'when',
}

/** Throws RequestRefused with the problems at the inputs of the form. */
function requireValid(row: ProfileRow): void {
  const document = { company: { rows: [row] }, beneficiary: { rows: [] }, person: { rows: [] } }
  const problems = findProblems(profileDocument, document).map((problem) => {
    const [, , , member = '', language = ''] = (problem.field ?? '').split('.')
    const name = language in LANGUAGES ? inLanguage(member, language) : (INPUTS[member] ?? member)
    return { ...problem, field: name }
  })
  if (problems.length > 0) throw new RequestRefused(...problems)
}
