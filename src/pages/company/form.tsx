/** What the forms of a company's pages have in common. */
import type { ComponentChildren } from 'preact'
import { Field, type Fields } from '../fields.tsx'
import type { FieldProblem } from '../layout.tsx'
import type { Visit } from '../visit.ts'

export interface FormPage {
  readonly visit: Visit
  readonly problems?: readonly FieldProblem[]
  /** What was typed and not taken, by the names of the inputs. */
  readonly typed?: Readonly<Record<string, unknown>>
}

/** What a reviewer says of the field that is to be mended; null where there is nothing to mend. */
export function commentOn({ application, frame: { t } }: Visit, path: string): string | null {
  const correction = application.corrections.find((each) => each.path === path)
  return correction ? (correction.message ?? t('correction.text')) : null
}

/** The fields of a section, or of a person: those that are due are the required ones. */
export function FieldList({
  visit,
  prefix,
  fields,
  values,
  required,
  problems = [],
  typed = {},
}: FormPage & {
  prefix: string
  fields: Fields
  values: Readonly<Record<string, unknown>>
  required: (field: string) => boolean
}) {
  return (
    <>
      {Object.entries(fields).map(([field, kind]) => {
        const path = `${prefix}${field}`
        return (
          <Field
            key={path}
            frame={visit.frame}
            path={path}
            field={field}
            kind={kind}
            value={path in typed ? typed[path] : values[field]}
            required={required(field)}
            problem={problems.find((each) => each.field === path)}
            comment={commentOn(visit, path)}
          />
        )
      })}
    </>
  )
}

interface PostFormProps {
  readonly visit: Visit
  /** Named always: the page may be the answer to another of its forms. */
  readonly action: string
  readonly encType?: 'multipart/form-data'
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

export function SaveForm({ children, ...form }: PostFormProps) {
  return (
    <PostForm {...form}>
      {children}
      <button type="submit">{form.visit.frame.t('section.save')}</button>
    </PostForm>
  )
}
