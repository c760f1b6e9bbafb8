/** What a person entered and showed, to check before it is sent. */
import { PERSON_FIELDS, PERSON_FILES } from '../../../domain/identification/person-form.ts'
import { labelOf } from '../../components/fields.tsx'
import { PostForm } from '../../components/form.tsx'
import { type FieldProblem, Page } from '../../components/layout.tsx'
import { ChangeLink, Values } from '../../components/values.tsx'
import { StillDue } from '../still-due.tsx'
import { commentOn, dueOf, type PersonVisit, pageOf, pagesOf, pictureOf } from './visit.ts'

interface CheckProps {
  readonly visit: PersonVisit
  readonly problems?: readonly FieldProblem[]
}

export function Check({ visit, problems = [] }: CheckProps) {
  const { frame, base } = visit
  const { t } = frame
  const due = dueOf(visit).map((field) => ({
    href: `${base}/${pageOf(field)}#${field}`,
    label: labelOf(t, field),
    why: commentOn(visit)(field),
  }))
  return (
    <Page frame={frame} title={t('check.title')} back={base} problems={problems}>
      <StillDue
        frame={frame}
        corrected={due.filter(({ why }) => why !== null)}
        missing={due.filter(({ why }) => why === null)}
      />
      {(['details', 'document'] as const).map((page) => (
        <section key={page} class="card" aria-labelledby={`${page}-title`}>
          <div class="title">
            <h2 id={`${page}-title`}>{t(`person.${page}`)}</h2>
            <ChangeLink frame={frame} href={`${base}/${page}`} label={t(`person.${page}`)} />
          </div>
          <Values
            frame={frame}
            fields={PERSON_FIELDS[page]}
            values={visit.identification.profile}
            files={new Map()}
          />
        </section>
      ))}
      <Pictures visit={visit} />
      {due.length > 0 ? null : (
        <PostForm visit={visit} action={`${base}/check`}>
          <button type="submit">{t('person.send')}</button>
        </PostForm>
      )}
    </Page>
  )
}

function Pictures({ visit }: { visit: PersonVisit }) {
  const { frame, base } = visit
  const { t } = frame
  const pages = pagesOf(visit)
  return (
    <section class="card" aria-labelledby="pictures-title">
      <h2 id="pictures-title">{t('person.pictures')}</h2>
      <ul class="pictures">
        {PERSON_FILES.filter((attribute) => pages.includes(attribute)).map((attribute) => {
          const picture = pictureOf(visit, attribute)
          return (
            <li key={attribute}>
              <strong>{t(`person.${attribute}`)}</strong>
              {picture?.isShown ? (
                <img class="picture" src={`${base}/files/${picture.id}`} alt="" />
              ) : (
                <span class="quiet">{picture?.name ?? t('check.notGiven')}</span>
              )}
              <ChangeLink frame={frame} href={`${base}/${attribute}`} label={t(`person.${attribute}`)} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
