/** Component: forms and lists of fields. */
import type { ComponentChildren, VNode } from 'preact'
import type { Fields } from '../../domain/fields/field.ts'
import { type AddressCountry, addressLabel, inAddressOrder } from './address.ts'
import { Button } from './button.tsx'
import { Field } from './fields.tsx'
import type { FieldProblem, Frame } from './layout.tsx'
import { proposedOr } from './proposed.ts'
import { type Answers, Conditional, offersOf } from './question.tsx'

/** The properties of a page that is shown again if its form is refused. */
export interface RefusedForm {
  readonly problems?: readonly FieldProblem[]
  /** The typed values that were not saved, keyed by input name. */
  readonly typed?: Readonly<Record<string, unknown>>
}

interface FieldListProps extends RefusedForm {
  readonly frame: Frame
  /** The prefix of the input names. */
  readonly prefix: string
  readonly fields: Fields
  readonly values: Readonly<Record<string, unknown>>
  readonly required: (name: string) => boolean
  /** Returns the correction that a reviewer has requested for an input, or null. */
  readonly commentOn: (path: string) => string | null
  /** Returns the page on which the applicant can dispute a comment, or null. */
  readonly replyAt?: (path: string) => string | null
  readonly pairs?: Pairs
  /** The country of the address among the fields. */
  readonly country?: AddressCountry
  /** The answers that decide which questions and choices the page shows. If absent, it shows all. */
  readonly answers?: Answers
  /** Renders a field in a box, for example because of a correction. */
  readonly box?: (path: string, field: VNode) => VNode
}

export const FieldList = ({ pairs = {}, ...props }: FieldListProps) => (
  <InPairs
    names={inAddressOrder(props.country, Object.keys(props.fields))}
    pairs={pairs}
    isWide={(name) => props.commentOn(`${props.prefix}${name}`) !== null}
    show={(name) => <ListedField key={name} {...props} name={name} />}
  />
)

/** The fields that share a line with the next one, by name. After `short`, it gets most of the line. */
export type Pairs = Readonly<Record<string, 'short' | 'equal'>>

interface InPairsProps {
  readonly names: readonly string[]
  readonly pairs: Pairs
  /** Returns whether a field needs the full width, for example because of a correction. */
  readonly isWide: (name: string) => boolean
  readonly show: (name: string) => VNode
}

/** Shows fields in order, with two on a line where they form a pair. */
export function InPairs({ names, pairs, isWide, show }: InPairsProps) {
  const widthOf = (name = '', next = '') => (isWide(name) || isWide(next) ? undefined : pairs[name])
  return (
    <>
      {names.map((name, index) => {
        if (index > 0 && widthOf(names[index - 1], name)) return null
        const next = names[index + 1]
        const width = next === undefined ? undefined : widthOf(name, next)
        if (next === undefined || width === undefined) return show(name)
        return (
          <div key={name} class={width === 'short' ? 'field-pair field-pair-short' : 'field-pair'}>
            {show(name)}
            {show(next)}
          </div>
        )
      })}
    </>
  )
}

function ListedField(props: Omit<FieldListProps, 'pairs'> & { readonly name: string }) {
  const { frame, prefix, fields, values, required, commentOn, replyAt, answers } = props
  const { box = (_path, field) => field, name, problems = [], typed = {} } = props
  const path = `${prefix}${name}`
  const field = fields[name]
  if (field === undefined) return null
  const comment = commentOn(path)
  const shown = box(
    path,
    <Field
      frame={frame}
      path={path}
      name={name}
      label={addressLabel(frame.t, name, props.country)}
      field={field}
      value={path in typed ? typed[path] : proposedOr(values[name], path, (source) => values[source])}
      stored={values[name]}
      required={required(name)}
      problem={problems.find((each) => each.field === path)}
      comment={comment}
      replyHref={replyAt?.(path)}
      offers={answers && offersOf(field, answers)}
    />,
  )
  if (!answers) return shown
  const isKept = comment !== null || problems.some((each) => each.field === path)
  return (
    <Conditional field={field} answers={answers} isKept={isKept}>
      {shown}
    </Conditional>
  )
}

interface PostFormProps {
  readonly visit: { readonly frame: Frame; readonly csrf: string }
  /** Required, because the current address can belong to another form on the page. */
  readonly action: string
  readonly encType?: 'multipart/form-data'
  /** The form's ID, to which inputs outside the form element refer. */
  readonly id?: string
  readonly class?: string
  /** Makes a script save each field after the reader changes it. */
  readonly 'data-autosave'?: boolean
  /** Makes the browser ask for confirmation before the reader leaves the page with unsent text. */
  readonly 'data-unsent'?: boolean
  /** Makes a script count the unsaved changes. */
  readonly 'data-changes'?: boolean
  /** Makes a script update the preview of the branding. */
  readonly 'data-branding'?: boolean
  readonly children: ComponentChildren
}

export function PostForm({ visit, children, ...form }: PostFormProps) {
  return (
    <form method="post" {...form}>
      <input type="hidden" name="_csrf" value={visit.csrf} />
      {children}
    </form>
  )
}

/** Shows the status of forms that save each field. The component belongs in the header of the page. */
export const SaveStatus = ({ frame: { t } }: { frame: Frame }) => (
  <p
    class="saving row-note"
    role="status"
    data-saving={t('save.saving')}
    data-saved={t('save.saved', { time: '{time}' })}
    data-failed={t('save.failed')}
    data-offline={t('save.offline')}
    data-unsaved={t('save.unsaved')}
    data-refused={t('save.refused', { problem: '{problem}' })}
    data-session={t('save.session')}
  />
)

interface SaveFormProps extends PostFormProps {
  /** If false, only the button saves the form. */
  readonly autosave?: boolean
  /** Replaces the button at the end of the form. */
  readonly end?: ComponentChildren
}

export function SaveForm({ children, autosave = true, end, ...form }: SaveFormProps) {
  const { t } = form.visit.frame
  return (
    <PostForm class="flow" {...form} {...{ [autosave ? 'data-autosave' : 'data-unsent']: true }}>
      {children}
      {autosave ? (
        <template data-choose>
          <p class="choose">
            <Button type="button" kind="secondary" data-keep>
              {t('save.keep')}
            </Button>
            <Button type="button" kind="secondary">
              {t('save.take')}
            </Button>
          </p>
        </template>
      ) : null}
      {end ?? <Button>{t('section.save')}</Button>}
    </PostForm>
  )
}
