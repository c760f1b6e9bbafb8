/** What the forms of all pages have in common. */
import type { ComponentChildren } from 'preact'
import type { Fields } from '../../domain/kyb/field.ts'
import type { Visit } from '../visit.ts'
import { Field } from './fields.tsx'
import type { FieldProblem, Frame } from './layout.tsx'

/** A page that may be the answer to its own form. */
export interface RefusedForm {
  readonly problems?: readonly FieldProblem[]
  /** What was typed and not taken, by the names of the inputs. */
  readonly typed?: Readonly<Record<string, unknown>>
}

interface FieldListProps extends RefusedForm {
  readonly frame: Frame
  /** Before the names of the fields in the names of their inputs. */
  readonly prefix: string
  readonly fields: Fields
  readonly values: Readonly<Record<string, unknown>>
  readonly required: (name: string) => boolean
  /** What is to be mended at an input. */
  readonly commentOn: (path: string) => string | null
  /** Where a comment can be disputed. */
  readonly replyAt?: (path: string) => string | null
}

export function FieldList(props: FieldListProps) {
  const { frame, prefix, fields, values, required, commentOn, replyAt, problems = [], typed = {} } = props
  return (
    <>
      {Object.entries(fields).map(([name, field]) => {
        const path = `${prefix}${name}`
        return (
          <Field
            key={path}
            frame={frame}
            path={path}
            name={name}
            field={field}
            value={path in typed ? typed[path] : values[name]}
            stored={values[name]}
            required={required(name)}
            problem={problems.find((each) => each.field === path)}
            comment={commentOn(path)}
            replyHref={replyAt?.(path)}
          />
        )
      })}
    </>
  )
}

interface PostFormProps {
  readonly visit: Pick<Visit, 'frame' | 'csrf'>
  /** Named always: the page may be the answer to another of its forms. */
  readonly action: string
  readonly encType?: 'multipart/form-data'
  /** For inputs elsewhere that belong to it. */
  readonly id?: string
  readonly class?: string
  /** For scripts: each field is saved as it is entered. */
  readonly 'data-autosave'?: boolean
  /** For scripts: leaving is asked about while something is typed in it. */
  readonly 'data-unsent'?: boolean
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

/** Without `autosave` nothing is saved before the button is pressed. */
export function SaveForm({ children, autosave = true, ...form }: PostFormProps & { autosave?: boolean }) {
  const { t } = form.visit.frame
  return (
    <PostForm {...form} {...{ [autosave ? 'data-autosave' : 'data-unsent']: true }}>
      {children}
      {autosave ? (
        <>
          <template data-choose>
            <p class="choose">
              <button type="button" class="second" data-keep>
                {t('save.keep')}
              </button>
              <button type="button" class="second">
                {t('save.take')}
              </button>
            </p>
          </template>
          <p
            class="saving"
            role="status"
            data-saving={t('save.saving')}
            data-saved={t('save.saved', { time: '{time}' })}
            data-failed={t('save.failed')}
            data-unsaved={t('save.unsaved')}
            data-refused={t('save.refused', { problem: '{problem}' })}
            data-session={t('save.session')}
          />
        </>
      ) : null}
      <button type="submit">{t('section.save')}</button>
    </PostForm>
  )
}
