/** Page: the list of owners and directors, and the form for one of them. */

import { renderSVG } from 'uqr'
import { requiredOfBeneficiary, verifiedIn } from '../../../domain/kyb/beneficiary-check.ts'
import { BENEFICIARY_FILE_LISTS, type Beneficiary } from '../../../domain/kyb/fields.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { optionOf } from '../../components/fields.tsx'
import { FieldList, PostForm, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { LOCALES } from '../../texts/index.ts'
import { Documents, type FileList } from '../documents.tsx'
import { filesIn, nameOf, OWNER_FIELDS, ownersOf } from './sections.ts'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

export function Owners({ visit }: { visit: CompanyVisit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const people = ownersOf(application)
  const comment = commentOn(visit)('beneficiaries.beneficiaries_list')
  return (
    <>
      {comment ? <p class="comment">{comment}</p> : null}
      {people.length === 0 ? (
        <p class="quiet" id="beneficiaries.beneficiaries_list">
          {t('owners.none')}
        </p>
      ) : null}
      <ul class="people">
        {people.map((person) => {
          const prefix = beneficiaryPath(person.external_id, '')
          const missing = application.currentlyDue.filter((path) => path.startsWith(prefix)).length
          const isWrong = application.corrections.some(({ path }) => `${path}.`.startsWith(prefix))
          const name = nameOf(person)
          return (
            <li key={person.external_id}>
              <div>
                <strong>{name}</strong>
                <p class="quiet">
                  {[
                    ...(person.roles ?? []).map((role) => optionOf(t, role)),
                    ...(person.stake_in_company
                      ? [t('owners.stake', { stake: person.stake_in_company })]
                      : []),
                  ].join(', ')}
                </p>
                {isWrong ? <p class="status bad">{t('status.problem')}</p> : null}
                {missing > 0 ? <p class="status">{t('status.missing', { missing })}</p> : null}
              </div>
              <a href={`${base}/owners/${person.external_id}`}>{t('owners.change', { name })}</a>
            </li>
          )
        })}
      </ul>
      <p>
        <ButtonLink kind="secondary" href={`${base}/owners/new`}>
          {t('owners.add')}
        </ButtonLink>
      </p>
    </>
  )
}

/** `person` is null for a new person. */
export function OwnerForm({
  visit,
  person,
  problems = [],
  typed = {},
}: RefusedForm & { visit: CompanyVisit; person: Beneficiary | null }) {
  const { frame, base, application } = visit
  const { t } = frame
  const id = person?.external_id ?? 'new'
  const prefix = beneficiaryPath(id, '')
  const comment = commentOn(visit)(prefix.slice(0, -1))
  const required = requiredOfBeneficiary(application, { external_id: id, ...person })
  const title = t(person ? 'owners.edit.title' : 'owners.new.title')
  return (
    <Page
      tools={<SaveStatus frame={frame} />}
      frame={frame}
      title={title}
      back={`${base}/beneficiaries`}
      problems={problems}
    >
      {comment ? <p class="comment">{comment}</p> : null}
      <SaveForm visit={visit} action={`${base}/owners/${id}`} autosave={person !== null}>
        <FieldList
          frame={frame}
          prefix={prefix}
          fields={OWNER_FIELDS}
          values={person ?? {}}
          required={(field) => field === 'email' || required.includes(field)}
          commentOn={commentOn(visit)}
          replyAt={replyAt(visit)}
          problems={problems}
          typed={typed}
        />
      </SaveForm>
      {person ? (
        <>
          <OwnLink visit={visit} person={person} />
          <Documents visit={visit} problems={problems} lists={ownerDocuments(visit, person)} />
          <p>
            <a href={`${base}/owners/${id}/remove`}>{t('owners.remove', { name: nameOf(person) })}</a>
          </p>
        </>
      ) : null}
    </Page>
  )
}

export function ownerDocuments(visit: CompanyVisit, person: Beneficiary): FileList[] {
  const { external_id: id } = person
  const required = requiredOfBeneficiary(visit.application, person)
  return [...BENEFICIARY_FILE_LISTS].map((field) => {
    const path = beneficiaryPath(id, field)
    return {
      path,
      field,
      action: `${visit.base}/owners/${id}/files/${field}`,
      files: filesIn(visit, person, field),
      required: required.includes(field),
      comment: commentOn(visit)(path),
      replyHref: replyAt(visit)(path),
    }
  })
}

/** Returns the address of the person's own verification. */
const linkOf = ({ publicUrl, application }: CompanyVisit, { external_id }: Beneficiary): string =>
  `${publicUrl}/verify/${application.links.get(external_id)?.token}`

/** Renders dark on light in every colour scheme, with the quiet zone of 4 modules that scanners need. */
export const qrCodeOf = (visit: CompanyVisit, person: Beneficiary): string =>
  renderSVG(linkOf(visit, person), { border: 4 })

/** Lets the person verify their own identity, so that the company need not upload their documents. */
function OwnLink({ visit, person }: { visit: CompanyVisit; person: Beneficiary }) {
  const { frame, base, application } = visit
  const { t } = frame
  const link = application.links.get(person.external_id)
  const { content, checks } = application
  if (!link || verifiedIn(content, checks).has(person.external_id))
    return <p class="state good">{t('owners.link.verified')}</p>
  const id = `link-${person.external_id}`
  const isGood = link.expiresAt > new Date()
  const dates = new Intl.DateTimeFormat(LOCALES[frame.language], { dateStyle: 'long', timeZone: 'UTC' })
  const until = dates.format(link.expiresAt)
  return (
    <section class="own-link" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('owners.link.title')}</h2>
      <p>{t('owners.link.text')}</p>
      {link.verification === 'initiated' ? null : (
        <p class="state">
          {t(
            link.verification === 'approved' ? 'due.verified_as_another' : `owners.link.${link.verification}`,
          )}
        </p>
      )}
      {isGood ? <GoodLink visit={visit} person={person} id={id} /> : null}
      <PostForm visit={visit} action={`${base}/owners/${person.external_id}/link`}>
        <p class="quiet">{t(isGood ? 'owners.link.until' : 'owners.link.expired', { until })}</p>
        <Button kind="secondary">{t('owners.link.renew')}</Button>
      </PostForm>
    </section>
  )
}

function GoodLink({ visit, person, id }: { visit: CompanyVisit; person: Beneficiary; id: string }) {
  const { frame, base } = visit
  const { t } = frame
  return (
    <>
      <div class="field">
        <label for={id}>{t('owners.link.label')}</label>
        <input type="text" id={id} value={linkOf(visit, person)} readonly />
        <Button
          type="button"
          kind="secondary"
          data-copy={id}
          data-done={t('owners.link.copied')}
          data-selected={t('owners.link.selected')}
          hidden
        >
          {t('owners.link.copy')}
        </Button>
      </div>
      <img
        class="qr"
        src={`${base}/owners/${person.external_id}/qr.svg`}
        alt={t('owners.link.qr', { name: nameOf(person) })}
        width="180"
        height="180"
      />
    </>
  )
}

/** Asks for confirmation before the person is removed. */
export function RemoveOwner({
  visit,
  person,
  problems = [],
}: RefusedForm & { visit: CompanyVisit; person: Beneficiary }) {
  const { frame, base } = visit
  const { t } = frame
  const name = nameOf(person)
  const back = `${base}/owners/${person.external_id}`
  return (
    <Page frame={frame} title={t('owners.remove.title', { name })} back={back} problems={problems}>
      <p>{t('owners.remove.text')}</p>
      <PostForm visit={visit} action={`${back}/remove`}>
        <Button>{t('owners.remove', { name })}</Button>
      </PostForm>
    </Page>
  )
}
