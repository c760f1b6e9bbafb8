/** Lists of documents, each with its files and a form for one more. */
import { labelOf } from '../fields.tsx'
import type { FieldProblem } from '../layout.tsx'
import type { Visit } from '../visit.ts'
import { commentOn, PostForm } from './form.tsx'

export interface FileList {
  readonly path: string
  readonly field: string
  readonly action: string
  readonly ids: readonly string[]
  readonly required: boolean
}

interface DocumentsProps {
  readonly visit: Visit
  readonly lists: readonly FileList[]
  readonly problems: readonly FieldProblem[]
}

export function Documents({ visit, lists, problems }: DocumentsProps) {
  const { frame, application } = visit
  const { t } = frame
  return (
    <>
      {lists.map(({ path, field, action, ids, required }) => {
        const input = `${path}-file`
        const problem = problems.find((each) => each.field === input)
        const comment = commentOn(visit, path)
        return (
          <section key={path} id={path} class="documents" tabIndex={-1} aria-labelledby={`${path}-title`}>
            <h2 id={`${path}-title`}>
              {labelOf(t, field)} {required ? null : <span class="quiet">{t('page.optional')}</span>}
            </h2>
            {comment ? <p class="comment">{comment}</p> : null}
            {ids.length === 0 ? <p class="quiet">{t('files.none')}</p> : null}
            <ul class="files">
              {ids.map((id) => (
                <li key={id}>
                  <span>{application.files.get(id)}</span>
                  <PostForm visit={visit} action={`${action}/${id}/remove`}>
                    <button type="submit" class="quiet">
                      {t('files.remove', { name: application.files.get(id) ?? '' })}
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
