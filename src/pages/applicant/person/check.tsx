/** Page: a person checks their details and photos before submission. */

import { PERSON_FIELDS, PERSON_FILES } from '../../../domain/identification/person-form.ts'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { PostForm, type RefusedForm } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { ChangeLink, Values } from '../../components/values.tsx'
import { correctionText } from '../correction.ts'
import { Replies, ReplyForm, replyPlace } from '../reply.tsx'
import { StillDue } from '../still-due.tsx'
import { commentOn, dueOf, type PersonVisit, pageOf, pagesOf, photoOf } from './visit.ts'

export function Check({ visit, problems = [], typed = {} }: RefusedForm & { visit: PersonVisit }) {
  const { frame, base } = visit
  const { t } = frame
  const open = openFindings(visit)
  const missing = dueOf(visit).filter((field) => !open.some(({ path }) => path === field))
  const placeOf = (field: string) => ({
    href: `${base}/${pageOf(field)}#${field}`,
    label: labelOf(t, field),
    why: commentOn(visit)(field),
  })
  return (
    <Page frame={frame} title={t('check.title')} back={base} problems={problems}>
      <StillDue
        frame={frame}
        corrected={open.map(({ label, ...finding }) => ({
          ...placeOf(finding.path),
          reply: (
            <ReplyForm visit={visit} finding={finding} label={label} problems={problems} typed={typed} />
          ),
        }))}
        missing={missing.map(placeOf)}
      />
      <Replies
        visit={visit}
        replies={visit.identification.review?.replies ?? []}
        labelOf={({ path }) => labelOf(t, path)}
        wordsOf={(reply) => correctionText(frame, [reply], reply.path)}
        isOpen
        problems={problems}
        typed={typed}
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
      <Photos visit={visit} />
      {missing.length > 0 ? null : (
        <PostForm visit={visit} action={`${base}/check`}>
          <Button>{t('person.send')}</Button>
        </PostForm>
      )}
    </Page>
  )
}

/** Returns the unanswered findings without duplicates. */
export function openFindings(visit: PersonVisit) {
  const due = dueOf(visit)
  const corrections = visit.identification.review?.corrections ?? []
  const places = new Map(corrections.map((each) => [replyPlace(each), each]))
  return [...places.values()]
    .filter(({ path }) => due.includes(path))
    .map(({ path, fileId }) => ({
      path,
      ...(fileId !== undefined && { fileId }),
      label: labelOf(visit.frame.t, path),
    }))
}

function Photos({ visit }: { visit: PersonVisit }) {
  const { frame, base } = visit
  const { t } = frame
  const pages = pagesOf(visit)
  return (
    <section class="card" aria-labelledby="pictures-title">
      <h2 id="pictures-title">{t('person.pictures')}</h2>
      <ul class="pictures">
        {PERSON_FILES.filter((attribute) => pages.includes(attribute)).map((attribute) => {
          const picture = photoOf(visit, attribute)
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
