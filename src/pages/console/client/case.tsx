/** Page: a case for a vault's own users, with its missing details, its outcome and its links. */
import type { ComponentChildren } from 'preact'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { renewLinkForm } from '../../../contracts/identification.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { kybWaitingOn } from '../../../domain/kyb/application.ts'
import { personIn } from '../../../domain/kyb/fields.ts'
import { type BeneficiaryLink, circumstancesOf, type KybApplication } from '../../../domain/kyb/record.ts'
import { type Due, reasonsFor } from '../../../domain/kyb/requirements.ts'
import { fullNameOf } from '../../../domain/names/full-name.ts'
import { type Turn, turnOf, turnSince } from '../../../domain/review/client-case.ts'
import { sendsEmails } from '../../../use-cases/access/vaults.ts'
import { onceEffect } from '../../../use-cases/base/effect.ts'
import { type NewLink, renewPersonLink } from '../../../use-cases/creation/verification-process.ts'
import { getIdentificationForClient } from '../../../use-cases/identification/identification.ts'
import { getKybForClient, renewFormLink } from '../../../use-cases/kyb/application.ts'
import { renewLinkForClient } from '../../../use-cases/kyb/beneficiary-verification.ts'
import { getClientFacts, getLinkAddress } from '../../../use-cases/review/client-cases.ts'
import { correctionText } from '../../applicant/base/correction.ts'
import { dueText, isPlain } from '../../applicant/base/due.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { RowText } from '../../components/row-text.tsx'
import { sinceText } from '../base/age.ts'
import { idIn, textOf } from '../base/form.ts'
import { Input } from '../base/inputs.tsx'
import { NewId } from '../base/parts.tsx'
import { seatPath } from '../base/visit.ts'
import { labelOf, wordOf } from '../base/words.ts'
import { caseTitle } from '../lists/queue-cells.tsx'
import { type ClientAsk, type ClientHandler, type ClientReply, canManage } from './ask.ts'
import { CASE_PATHS, TurnChip } from './case-table.tsx'
import { linkPage } from './link.tsx'

export const casePage =
  (entity: Entity): ClientHandler =>
  (ask) =>
    entity === 'kyb' ? companyPage(ask) : personPage(ask)

/** The decision of the review, as far as clients see it. */
interface Disclosed {
  readonly outcome: string
  readonly clientComment: string | null
}

interface CaseProps {
  readonly ask: ClientAsk
  readonly entity: Entity
  readonly review: Disclosed | null
  readonly missing: readonly { readonly key: string; readonly label: string; readonly text: string }[]
  readonly canRenew: boolean
  /** Whether the newest email to the applicant failed. */
  readonly isUndelivered: boolean
  /** Whether the vault sends the new link by email. */
  readonly sends: boolean
  /** The address to which emails about the case go now. */
  readonly address: string | null
  readonly children?: ComponentChildren
}

function CaseContent(props: CaseProps) {
  const { ask, entity, review, missing, canRenew, isUndelivered, sends, address, children } = props
  const { visit, frame, t, seat, id, again } = ask
  return (
    <div class="client-columns">
      <div>
        {review?.clientComment ? (
          <Card id="comment-title" title={t('console.client.comment')}>
            <p class="client-comment">{review.clientComment}</p>
          </Card>
        ) : null}
        <Card id="missing-title" title={t('console.client.missing')}>
          {missing.length === 0 ? (
            <EmptyState icon="circle-check" text={t('console.client.missing.none')} />
          ) : (
            <>
              <MissingList missing={missing.slice(0, SHOWN_MISSING)} />
              {missing.length > SHOWN_MISSING ? (
                <details class="client-fold">
                  <summary>{t('settings.profile.show', { count: missing.length - SHOWN_MISSING })}</summary>
                  <MissingList missing={missing.slice(SHOWN_MISSING)} />
                </details>
              ) : null}
            </>
          )}
        </Card>
      </div>
      <div>
        {canRenew ? (
          <Card id="link-title" title={t('console.client.link.title')} text={t('console.client.link.text')}>
            {isUndelivered ? <p class="client-expired">{t('console.client.link.undelivered.text')}</p> : null}
            <PostForm visit={visit} action={seatPath(seat.id, CASE_PATHS[entity], id, 'link')}>
              <NewId again={again} />
              {sends ? (
                <Input
                  {...{ frame, again, name: 'email', type: 'email', value: address }}
                  hint={t('console.client.link.email')}
                />
              ) : null}
              <Button kind="secondary">{t('console.client.link.renew')}</Button>
            </PostForm>
          </Card>
        ) : null}
        {children}
      </div>
    </div>
  )
}

/** The number of missing details that the page shows before the others are unfolded. */
const SHOWN_MISSING = 8

const MissingList = ({ missing }: Pick<CaseProps, 'missing'>) => (
  <dl class="rows client-missing">
    {missing.map(({ key, label, text }) => (
      <div key={key}>
        <dt>{label}</dt>
        {text ? <dd class="quiet">{text}</dd> : null}
      </div>
    ))}
  </dl>
)

interface StateProps extends Pick<CaseProps, 'ask' | 'review'> {
  readonly turn: Turn | null
  readonly since: Date
}

/** Shows whose turn it is and since when, or the outcome. */
function CaseState({ ask, turn, since, review }: StateProps) {
  const { frame, t } = ask
  if (turn === null) return review ? <Chip>{wordOf(frame, 'console.decided', review.outcome)}</Chip> : null
  return (
    <>
      <TurnChip ask={ask} turn={turn} /> {t('console.client.since', { age: sinceText(frame, since) })}
    </>
  )
}

async function companyPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, frame, caller, id } = ask
  const application = await getKybForClient(deps, caller, id)
  const { content, state, currentlyDue, corrections, review, files } = application
  const turn = turnOf(kybWaitingOn(state))
  const isOpen = turn === 'client' || turn === 'applicant'
  const due = isOpen ? reasonsFor(currentlyDue, content, circumstancesOf(application, new Date())) : []
  const nameOf = labelOfPath(ask, application)
  const requested = isOpen ? [...new Set(corrections.map(({ path }) => path))] : []
  return {
    up: { href: seatPath(ask.seat.id), name: 'console.client.back' },
    title: caseTitle(frame, { id, title: content.nature_of_business.legal_company_name ?? null }),
    count: <CaseState ask={ask} turn={turn} since={application.waitingSince} review={review} />,
    children: (
      <CaseContent
        ask={ask}
        entity="kyb"
        review={review}
        missing={[
          ...requested.map((path) => ({
            key: `requested ${path}`,
            label: nameOf(path),
            text: correctionText(frame, corrections, path, (file) => files.get(file)?.name) ?? '',
          })),
          ...due.map((each: Due) => ({
            key: each.path,
            label: nameOf(each.path),
            text: isPlain(each.reason) ? '' : dueText(frame, each),
          })),
        ]}
        {...(await emailsOf(ask, application.identificationId))}
        isUndelivered={(await getClientFacts(deps, caller, id)).undeliveredAt !== null}
        canRenew={canManage(ask) && isOpen}
      >
        <People ask={ask} application={application} isOpen={isOpen} />
      </CaseContent>
    ),
  }
}

/** Returns a function that returns the label of a field, with the name of the person whom it is about. */
const labelOfPath =
  ({ t }: ClientAsk, { content }: KybApplication) =>
  (path: string): string => {
    const [, field = path, personId, personField] = path.split('.')
    const person = personIn(content, personId)
    if (!person) return labelOf(t, field)
    const name = person.full_name || person.email || ''
    return personField ? `${name}: ${labelOf(t, personField)}` : name
  }

/** Returns whether the vault sends a new link by email and, if it does, the current address. */
async function emailsOf({ deps, caller, seat }: ClientAsk, identificationId: string) {
  const sends = await sendsEmails(deps, seat.id)
  return { sends, address: sends ? await getLinkAddress(deps, caller, identificationId) : null }
}

interface PeopleProps {
  readonly ask: ClientAsk
  readonly application: KybApplication
  readonly isOpen: boolean
}

function People({ ask, application: { content, links }, isOpen }: PeopleProps) {
  const { visit, frame, t, seat, id, again } = ask
  const people = content.beneficiaries.beneficiaries_list.flatMap((person) => {
    const link = links.get(person.external_id)
    return link ? [{ person, link }] : []
  })
  if (people.length === 0) return null
  const canRenew = isOpen && canManage(ask)
  return (
    <Card id="people-title" title={t('console.client.people')}>
      <ul class="rows client-rows">
        {people.map(({ person, link }) => {
          const name = person.full_name || person.email || person.external_id.slice(-6)
          return (
            <li key={person.external_id}>
              <RowText name={name} note={wordOf(frame, 'console.client.check', link.verification)} />
              {canRenew ? (
                <PostForm
                  visit={visit}
                  action={seatPath(seat.id, 'kyb', id, 'beneficiaries', person.external_id, 'link')}
                >
                  <NewId again={again} />
                  <Button kind="link">
                    {t('console.client.link.renew')}
                    <span class="unseen">: {name}</span>
                  </Button>
                </PostForm>
              ) : null}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

async function personPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, frame, t, caller, id } = ask
  const identification = await getIdentificationForClient(deps, caller, id)
  const { review, state, name, surname, origin } = identification
  const turn = turnOf(state.waitingOn, identification.undeliveredAt)
  const since = turnSince({ ...identification, waitingOn: state.waitingOn })
  const isOpen = turn === 'applicant' || turn === 'client'
  const requested = isOpen && review ? [...new Set(review.corrections.map(({ path }) => path))] : []
  const toSubmit = {
    key: 'submit',
    label: t('console.client.verification'),
    text: t('console.client.notSubmitted'),
  }
  return {
    up: { href: seatPath(ask.seat.id), name: 'console.client.back' },
    title: caseTitle(frame, { id, title: fullNameOf({ name: name ?? '', surname: surname ?? '' }) }),
    count: <CaseState ask={ask} turn={turn} since={since} review={review} />,
    children: (
      <CaseContent
        ask={ask}
        entity="identification"
        isUndelivered={identification.undeliveredAt !== null}
        review={review}
        missing={
          requested.length > 0
            ? requested.map((path) => ({
                key: path,
                label: labelOf(t, path),
                text: correctionText(frame, review?.corrections ?? [], path) ?? '',
              }))
            : isOpen
              ? [toSubmit]
              : []
        }
        {...(await emailsOf(ask, id))}
        canRenew={canManage(ask) && isOpen && origin === 'hosted'}
      />
    ),
  }
}

export const renewLink =
  (entity: Entity): ClientHandler =>
  async (ask) => {
    const { deps, caller, by, id, seat, sent } = ask
    const given = parseOrRefuse(renewLinkForm, { email: 'email' in sent ? textOf(sent, 'email') : undefined })
    const effect = onceEffect<NewLink>(deps, by, idIn(sent))
    const renewed =
      entity === 'kyb'
        ? await renewFormLink(deps, caller, id, { withPassword: false, ...given }, effect)
        : await renewPersonLink(deps, caller, id, given, effect)
    const isSent = Boolean(given.email) && (await sendsEmails(deps, seat.id))
    return linkPage(ask, renewed.token, isSent, seatPath(seat.id, CASE_PATHS[entity], id))
  }

export async function renewBeneficiaryLink(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, by, seat, id, req, sent } = ask
  const effect = onceEffect<BeneficiaryLink>(deps, by, idIn(sent))
  const { token } = await renewLinkForClient(deps, caller, id, String(req.params.person), effect)
  return linkPage(ask, token, false, seatPath(seat.id, CASE_PATHS.kyb, id))
}
