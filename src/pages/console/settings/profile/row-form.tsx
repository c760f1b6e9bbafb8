import { type ComponentChildren, Fragment } from 'preact'
import { FIELD_TYPES } from '../../../../domain/fields/field.ts'
import { ADDED } from '../../../../domain/kyb/form.ts'
import { FITS } from '../../../../domain/profile/condition-check.ts'
import {
  isAddedRow,
  type Part,
  PERSON_SECTION,
  type ProfileRow,
} from '../../../../domain/profile/document.ts'
import { rowInWords } from '../../../../domain/profile/words.ts'
import { Button, ButtonLink, IconButton } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { TextName } from '../../../texts/index.ts'
import { toOptions } from '../../base/form.ts'
import { Checkboxes, Countries, Input, Select, TextArea } from '../../base/inputs.tsx'
import { InitialValues, SettingsForm } from '../../base/parts.tsx'
import type { Ask } from '../ask.ts'
import { askingOf, LINE_TESTS, type Line, readValues, sentAsking, WHEN } from './condition.ts'
import {
  countryGroups,
  isCountry,
  labelOfRow,
  nameableRows,
  namesIn,
  optionsOf,
  sectionLabel,
  sectionsOf,
} from './fields.ts'
import { LimitFields } from './limits-form.tsx'
import type { ProblemInWords } from './problems.ts'
import { inLanguage, type Subject } from './sent-row.ts'

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
  readonly problems: readonly ProblemInWords[]
}

export function RowPanel({ ask, subject, action, back, maySave, problems }: PanelProps) {
  const { t } = ask
  const { row, isNew } = subject
  const isOwn = isAddedRow(row)
  const isAtInput = ({ input }: ProblemInWords) => isOwn && input !== null
  const others = problems.filter((problem) => !isAtInput(problem))
  const own = { ask, subject, problems: problems.filter(isAtInput) }
  return (
    <section class="profile-panel" aria-labelledby="panel-title">
      <div class="profile-panel-head">
        <h2 id="panel-title">{isNew ? t('settings.profile.add') : labelOfRow(ask.frame, row)}</h2>
        <a href={back} aria-label={t('settings.profile.close')}>
          <Icon name="x" size={20} />
        </a>
      </div>
      {others.length > 0 ? (
        <ul class="profile-problems">
          {others.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      ) : null}
      <SettingsForm
        ask={ask}
        action={action}
        back={back}
        isNew
        press={t('settings.profile.save')}
        maySave={maySave}
        buttons={
          !isNew && (isOwn || subject.document[subject.part].rows.some(({ path }) => path === row.path)) ? (
            <ButtonLink kind="danger" href={action.replace('/profile?', '/profile/remove?')}>
              {t(isOwn ? 'settings.profile.remove' : 'settings.profile.reset')}
            </ButtonLink>
          ) : null
        }
      >
        {/* The Enter key saves the question, and adds no condition. */}
        <button type="submit" hidden />
        {isOwn ? <OwnFields {...own} /> : null}
        <LimitFields ask={ask} row={row} />
        <AskingFields ask={ask} subject={subject} action={action} maySave={maySave} />
        {isOwn && subject.languages.length > 1 ? (
          <fieldset class="profile-fields">
            <legend>{t('settings.languages')}</legend>
            <RowTexts {...own} languages={subject.languages.slice(1)} />
          </fieldset>
        ) : null}
        {isOwn ? <PlaceFields ask={ask} subject={subject} /> : null}
      </SettingsForm>
    </section>
  )
}

interface OwnProps extends Pick<PanelProps, 'ask' | 'subject'> {
  readonly problems: readonly ProblemInWords[]
}

/** The texts and the type of a row that the profile adds. The specification fixes those of the other rows. */
function OwnFields({ ask, subject, problems }: OwnProps) {
  const { t, frame, again } = ask
  const { row, languages } = subject
  const about = { frame, again }
  const values = row.values ?? []
  return (
    <div class="profile-fields">
      <RowTexts {...{ ask, subject, problems }} languages={languages.slice(0, 1)} />
      <Select
        {...about}
        name="type"
        options={toOptions(FIELD_TYPES, (value) => t(`settings.type.${value}`))}
        chosen={[row.type]}
      />
      <div class="profile-fields profile-choices">
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
    </div>
  )
}

interface TextsProps extends OwnProps {
  readonly languages: readonly string[]
}

/** The question and its hint in each of the languages. */
const RowTexts = ({ ask: { frame, again }, subject: { row }, problems, languages }: TextsProps) =>
  languages.map((language) => (
    <Fragment key={language}>
      <RowText input={inLanguage('label', language)} problems={problems}>
        <Input
          {...{ frame, again }}
          name={inLanguage('label', language)}
          value={row.label?.[language] ?? null}
          isOptional={false}
          placeholder=" "
        />
      </RowText>
      <RowText input={inLanguage('help', language)} problems={problems}>
        <TextArea
          {...{ frame, again }}
          rows={2}
          name={inLanguage('help', language)}
          value={row.help?.[language] ?? null}
          isOptional
          placeholder=" "
        />
      </RowText>
    </Fragment>
  ))

/** The place of a row that the profile adds, and its name, which does not change later. */
function PlaceFields({ ask, subject }: Pick<PanelProps, 'ask' | 'subject'>) {
  const { t, frame, again } = ask
  const { row, part, isNew } = subject
  const about = { frame, again }
  const sections = sectionsOf(part)
  return (
    <fieldset class="profile-fields">
      <legend>{t('settings.profile.place')}</legend>
      {sections.length > 1 ? (
        <Select
          {...about}
          name="section"
          hint={part === 'beneficiary' ? t('settings.section.hint') : undefined}
          options={toOptions(sections, (value) => sectionLabel(t, part, value))}
          chosen={[row.section]}
        />
      ) : (
        <input type="hidden" name="section" value={sections[0]} />
      )}
      <Input
        {...about}
        name="order"
        inputMode="numeric"
        hint={t('settings.order.hint')}
        value={row.order === undefined ? null : String(row.order)}
      />
      <Input
        {...about}
        name="path"
        hint={isNew ? t('settings.path.hint') : undefined}
        value={row.path.slice(ADDED.length)}
        required
        {...(!isNew && { readonly: true })}
      />
    </fieldset>
  )
}

interface RowTextProps {
  readonly input: string
  readonly problems: readonly ProblemInWords[]
  /** The input, whose placeholder shows the style sheet whether it is empty. */
  readonly children: ComponentChildren
}

/** Renders a text of the row, with a warning while it is empty. */
const RowText = ({ input, problems, children }: RowTextProps) => (
  <div class="profile-text">
    {children}
    {problems
      .filter((each) => each.input === input)
      .map(({ text }) => (
        <p key={text} class="profile-problem">
          <Icon name="triangle-alert" size={14} /> {text}
        </p>
      ))}
  </div>
)

/**
 * The sentence that says when pages ask the question, with one line for each test. A test of another question needs its
 * choices, so that the form is shown again after the question is selected.
 */
function AskingFields({
  ask,
  subject,
  action,
  maySave,
}: Pick<PanelProps, 'ask' | 'subject' | 'action' | 'maySave'>) {
  const { t, frame, again } = ask
  const { row, part, document } = subject
  const stored = askingOf(frame, document, part, row)
  const asking = again.typed ? sentAsking(again.typed) : stored
  const about = { frame, again: { ...again, typed: null } }
  const moments = stored.when === 'other' ? ([...WHEN, 'other'] as const) : WHEN
  const isFirst = asking.lines.length === 0
  const another = (
    <div class="profile-sentence profile-line">
      <FieldSelect ask={ask} subject={subject} index={asking.lines.length} none="settings.line.choose" />
      <Button
        kind="secondary"
        icon="plus"
        name="more"
        value="yes"
        formAction={`${action}#when-fields`}
        aria-label={t('settings.profile.more')}
      >
        {t(isFirst ? 'settings.profile.more' : 'files.add')}
      </Button>
    </div>
  )
  return (
    <fieldset class="profile-fields" id="when-fields">
      <legend>{t('settings.profile.asking')}</legend>
      {stored.when === 'other' || !maySave ? (
        <p class="hint">{rowInWords(namesIn(frame, document, part), row)}</p>
      ) : null}
      {maySave ? (
        <div class="profile-asking">
          <div class="profile-sentence">
            <Select
              {...about}
              name="need"
              options={toOptions(['required', 'optional'] as const, (value) => t(`settings.need.${value}`))}
              chosen={[asking.need]}
            />
            <Select
              {...about}
              name="when"
              options={toOptions(moments, (value) => t(`settings.when.${value}`))}
              chosen={[asking.when]}
            />
          </div>
          {asking.lines.map((line, index) => (
            <LineFields key={index} {...{ ask, subject, action, line, index }} />
          ))}
          {/* After the first condition, another one has its line only on request. */}
          {isFirst ? (
            another
          ) : (
            <details>
              <summary class="button button-secondary">{t('settings.profile.more')}</summary>
              {another}
            </details>
          )}
          <div class="profile-sentence">
            <Select
              {...about}
              name="otherwise"
              options={toOptions(['not_asked', 'optional'] as const, (value) =>
                t(`settings.otherwise.${value}`),
              )}
              chosen={[asking.otherwise]}
            />
          </div>
        </div>
      ) : null}
    </fieldset>
  )
}

interface LineProps extends Pick<PanelProps, 'ask' | 'subject' | 'action'> {
  readonly line: Line
  readonly index: number
}

/** Returns the questions that a condition of the row can name. */
const fieldsFor = ({ document, part, row }: Subject): readonly ProfileRow[] =>
  nameableRows(document, part).filter(({ path }) => path !== row.path)

interface FieldSelectProps extends Omit<LineProps, 'line' | 'action'> {
  readonly chosen?: string
  /** The option without a question. */
  readonly none?: TextName
}

const FieldSelect = ({
  ask: { t, frame, again },
  subject,
  index,
  chosen = '',
  ...more
}: FieldSelectProps) => (
  <Select
    frame={frame}
    again={{ ...again, typed: null }}
    name={`field_${index}`}
    label={t('settings.line.field')}
    {...more}
    options={fieldsFor(subject).map((each) => ({ value: each.path, label: labelOfRow(frame, each) }))}
    chosen={[chosen]}
  />
)

function LineFields({ ask, subject, action, line, index }: LineProps) {
  const { t, frame, again } = ask
  const about = { frame, again: { ...again, typed: null } }
  const field = fieldsFor(subject).find(({ path }) => path === line.field)
  const tests = LINE_TESTS.filter(
    (test) => !field || test === 'given' || test === 'not_given' || FITS[test].includes(field.type),
  )
  const options = field ? optionsOf(frame, field) : []
  const chosen = field ? readValues(frame, field, line.value).filter((each) => each !== null) : []
  const value = { ...about, name: `value_${index}`, label: t('settings.line.value') }
  const isOf = (test: 'at_least' | 'older_than') => field !== undefined && FITS[test].includes(field.type)
  const kind = isOf('at_least') ? 'number' : isOf('older_than') ? 'date' : 'text'
  return (
    <div class="profile-sentence profile-line">
      <FieldSelect {...{ ask, subject, index }} chosen={line.field} />
      <Select
        {...about}
        name={`test_${index}`}
        label={t('settings.line.test')}
        options={toOptions(tests, (test) => t(`settings.test.${test}`))}
        chosen={[line.test]}
      />
      {options.length === 0 ? (
        <Input {...value} hint={t(`settings.line.hint.${kind}`)} value={line.value} isOptional={false} />
      ) : (
        <>
          <InitialValues again={value.again} values={{ [value.name]: chosen.join(',') }} />
          {isCountry(field?.type) ? (
            <Countries {...value} chosen={chosen} groups={countryGroups(frame)} />
          ) : (
            <Checkboxes {...value} options={options} chosen={chosen} isRow />
          )}
        </>
      )}
      <IconButton
        icon="x"
        label={t('settings.line.remove')}
        name="drop"
        value={index}
        formAction={`${action}#when-fields`}
      />
    </div>
  )
}
