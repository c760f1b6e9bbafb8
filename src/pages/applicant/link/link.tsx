/** Page: the start of a verification link. It changes nothing, because mail scanners follow links. */
import { CODE_MINUTES } from '../../../domain/email/notice.ts'
import type { LinkedVerification, NamedPerson } from '../../../domain/identification/link.ts'
import { DOCUMENTS_OF_EVERY_COMPANY } from '../../../domain/kyb/requirements.ts'
import { Button } from '../../components/button.tsx'
import { BigTile } from '../../components/card.tsx'
import { describeInput, fieldClass, Hint, ProblemText } from '../../components/field-notes.tsx'
import { labelOf, roleOf } from '../../components/fields.tsx'
import { type FieldProblem, type Frame, Page } from '../../components/layout.tsx'
import { PrivateNote } from '../../components/private-note.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { joinLabels } from '../../texts/index.ts'
import type { Standing } from '../company/overview.tsx'

interface LinkProps {
  readonly frame: Frame
  readonly linked: LinkedVerification
}

export type Factor = 'password' | 'code'

interface CompanyLinkProps extends LinkProps {
  readonly factor: Factor
  readonly sendsCodes: boolean
  /** The remaining work, or null before the first entry. The client may have made it. */
  readonly standing: Standing | null
  readonly problems: readonly FieldProblem[]
}

export function CompanyLink({ frame, linked, factor, sendsCodes, standing, problems }: CompanyLinkProps) {
  const { t, language } = frame
  const vault = linked.vault.name
  const documents = joinLabels(
    language,
    DOCUMENTS_OF_EVERY_COMPANY.map((field) => labelOf(t, field)),
  )
  const byCode = sendsCodes && factor === 'code'
  return (
    <Page
      frame={frame}
      title={t('link.company.title')}
      lead={t('link.company.asks', { vault })}
      problems={problems}
    >
      <ul class="needs">
        {standing ? (
          <TaskRow icon="clock" name={standing.name} note={standing.note} />
        ) : (
          <TaskRow icon="clock" name={t('link.company.time')} note={t('leave.anytime')} />
        )}
        {standing?.needsDocuments === false ? null : (
          <>
            <TaskRow icon="file-text" name={t('link.company.documents')} note={documents} />
            <TaskRow icon="users" name={t('link.company.people')} note={t('link.company.people.text')} />
          </>
        )}
      </ul>
      <form method="post" novalidate class="link-form">
        <FactorField
          frame={frame}
          factor={byCode ? 'code' : 'password'}
          vault={vault}
          problem={problems[0]}
        />
        <Button>{t('link.open')}</Button>
      </form>
      {sendsCodes ? (
        <form method="post" class="link-other">
          <Button kind="secondary" name="send_code" value="yes">
            {t(byCode ? 'link.company.code.again' : 'link.company.code.send')}
          </Button>
          {byCode ? <a href="?">{t('link.company.byPassword')}</a> : null}
        </form>
      ) : null}
      <PrivateNote frame={frame} />
    </Page>
  )
}

interface FactorFieldProps {
  readonly frame: Frame
  readonly factor: Factor
  readonly vault: string
  readonly problem: FieldProblem | undefined
}

function FactorField({ frame: { t }, factor, vault, problem }: FactorFieldProps) {
  const notes = { hint: t(`link.company.${factor}.hint`, { vault, minutes: CODE_MINUTES }), problem }
  const input = {
    id: factor,
    name: factor,
    ...describeInput(factor, notes),
  }
  return (
    <div class={fieldClass(notes)}>
      <label for={factor}>{t(`link.company.${factor}`)}</label>
      <Hint id={factor} {...notes} />
      <ProblemText id={factor} label={t(`link.company.${factor}`)} {...notes} />
      {factor === 'code' ? (
        <input type="text" inputmode="numeric" autocomplete="one-time-code" maxlength={40} {...input} />
      ) : (
        <div class="password">
          <input type="password" autocomplete="current-password" {...input} />
          <Button
            type="button"
            kind="quiet"
            data-reveal="password"
            data-show={t('link.company.show')}
            data-hide={t('link.company.hide')}
            hidden
          >
            {t('link.company.show')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Shows the page for a person. Only its form starts the session, because mail scanners follow links. */
export function PersonLink({ frame, frame: { t }, linked }: LinkProps) {
  const { vault, waitingOn, requestsChanges, named } = linked
  const isOpen = waitingOn === 'applicant'
  const isNew = isOpen && !requestsChanges
  const role = named?.fullName && named.companyName ? named : null
  const reason = role
    ? t('link.person.because', { company: role.companyName, vault: vault.name })
    : t('link.person.law', { vault: vault.name })
  return (
    <Page
      frame={frame}
      title={t('link.person.title')}
      hero={
        <>
          <BigTile icon="scan-face" />
          <h1>
            {isNew
              ? t('link.person.asks', { vault: vault.name })
              : t(isOpen ? 'overview.revision' : 'link.person.title')}
          </h1>
        </>
      }
      lead={isNew ? reason : isOpen ? t('revision.text', { vault: vault.name }) : t('link.person.done')}
    >
      {role ? <Role frame={frame} named={role} /> : null}
      {isNew ? (
        <ul class="needs">
          {PERSON_NEEDS.map(([icon, part]) => (
            <TaskRow
              key={part}
              icon={icon}
              name={t(`link.person.${part}`)}
              note={t(part === 'time' ? 'leave.anytime' : `link.person.${part}.text`)}
              // A visitor with a phone needs no other device.
              {...(part === 'selfie' && { shortNote: '' })}
            />
          ))}
        </ul>
      ) : null}
      <PrivateNote frame={frame} />
      {role ? <p class="row-note">{t('link.person.stranger', { company: role.companyName })}</p> : null}
      <form method="post" class="dock">
        <Button>{t('link.open')}</Button>
      </form>
    </Page>
  )
}

/** Shows for whom the person is verified, because a request for an identity document can look like fraud. */
function Role({ frame: { t, language }, named }: Pick<LinkProps, 'frame'> & { readonly named: NamedPerson }) {
  const { fullName, companyName: company } = named
  const roles = joinLabels(
    language,
    named.roles.map((role) => roleOf(t, role)),
  )
  return (
    <ul class="card rows">
      <TaskRow
        icon="user"
        name={fullName}
        note={roles ? t('link.person.role', { roles, company }) : company}
      />
    </ul>
  )
}

const PERSON_NEEDS = [
  ['clock', 'time'],
  ['list-checks', 'details'],
  ['id-card', 'document'],
  ['camera', 'selfie'],
] as const
