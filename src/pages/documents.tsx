/** Lists of documents, each with its files and a form for one more. */
import { labelOf } from './fields.tsx'
import { PostForm } from './form.tsx'
import type { FieldProblem } from './layout.tsx'
import type { Visit } from './visit.ts'

export interface FileList {
  readonly path: string
  readonly field: string
  readonly action: string
  readonly files: readonly { readonly id: string; readonly name: string }[]
  readonly required: boolean
  /** What is to be mended. */
  readonly comment: string | null
}

interface DocumentsProps {
  readonly visit: Pick<Visit, 'frame' | 'csrf'>
  readonly lists: readonly FileList[]
  readonly problems: readonly FieldProblem[]
}

export function Documents({ visit, lists, problems }: DocumentsProps) {
  const { t } = visit.frame
  return (
    <>
      {lists.map(({ path, field, action, files, required, comment }) => {
        const input = `${path}-file`
        const problem = problems.find((each) => each.field === input)
        return (
          <section key={path} id={path} class="documents" tabIndex={-1} aria-labelledby={`${path}-title`}>
            <h2 id={`${path}-title`}>
              {labelOf(t, field)} {required ? null : <span class="quiet">{t('page.optional')}</span>}
            </h2>
            {comment ? <p class="comment">{comment}</p> : null}
            {files.length === 0 ? <p class="quiet">{t('files.none')}</p> : null}
            <ul class="files">
              {files.map(({ id, name }) => (
                <li key={id}>
                  <span>{name}</span>
                  <PostForm visit={visit} action={`${action}/${id}/remove`}>
                    <button type="submit" class="quiet">
                      {t('files.remove', { name })}
                    </button>
                  </PostForm>
                </li>
              ))}
            </ul>
            <PostForm visit={visit} action={action} encType="multipart/form-data">
              <label for={input} id={`${input}-label`}>
                {t('files.choose')}
              </label>
              {problem ? (
                <p class="problem" id={`${input}-problem`}>
                  {problem.message}
                </p>
              ) : null}
              <input
                type="file"
                id={input}
                name="file"
                aria-labelledby={`${path}-title ${input}-label`}
                accept="image/jpeg,image/png,application/pdf"
                {...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${input}-problem` })}
              />
              <button
                type="submit"
                class="second"
                id={`${input}-add`}
                aria-labelledby={`${input}-add ${path}-title`}
              >
                {t('files.upload')}
              </button>
            </PostForm>
          </section>
        )
      })}
    </>
  )
}
