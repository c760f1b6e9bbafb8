/** Page: creating an application or a verification with a link for its applicant. */
import { v7 as newId } from 'uuid'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createIdentifyProcessBody } from '../../../contracts/identification.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { sendsEmails } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import {
  type StartedVerification,
  startVerification,
} from '../../../use-cases/creation/verification-process.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { PostForm } from '../../components/form.tsx'
import { idIn, textOf } from '../base/form.ts'
import { Input, Select } from '../base/inputs.tsx'
import { NewId, secretPage } from '../base/parts.tsx'
import { seatPath } from '../base/visit.ts'
import { type ClientAsk, type ClientReply, canManage } from './ask.ts'

export async function newLinkPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, frame, t, seat, again } = ask
  if (!canManage(ask)) throw new RequestRefused({ code: 'not_found' })
  const isSent = await sendsEmails(deps, seat.id)
  const inputs = { frame, again }
  return {
    title: t('console.client.newLink'),
    children: (
      <div class="card card-body">
        <PostForm visit={visit} action={seatPath(seat.id, 'links')} class="client-form">
          <NewId again={again} />
          <Select
            {...inputs}
            name="type"
            label={t('console.client.newLink.type')}
            options={[
              { value: 'kyb', label: t('console.client.one.kyb') },
              { value: 'kyc', label: t('console.client.one.identification') },
            ]}
          />
          <Input {...inputs} name="name" label={t('console.client.newLink.name')} />
          <Input {...inputs} name="surname" label={t('console.client.newLink.surname')} />
          <Input
            {...inputs}
            name="email"
            type="email"
            hint={t(isSent ? 'console.client.newLink.sent' : 'console.client.newLink.notSent')}
          />
          <div class="actions">
            <Button>{t('console.client.newLink')}</Button>
            <ButtonLink kind="quiet" href={seatPath(seat.id)}>
              {t('settings.cancel')}
            </ButtonLink>
          </div>
        </PostForm>
      </div>
    ),
  }
}

/** Creates the link and shows it. A form that is sent twice creates one application. */
export async function createLink(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, seat, sent } = ask
  const body = createIdentifyProcessBody({ isSandbox: deps.config.ENVIRONMENT === 'sandbox' })
  const given = parseOrRefuse(body, {
    type: textOf(sent, 'type'),
    external_uuid: idIn(sent) ?? newId(),
    email: textOf(sent, 'email') ?? undefined,
    name: textOf(sent, 'name') ?? undefined,
    surname: textOf(sent, 'surname') ?? undefined,
  })
  const { external_uuid: externalUuid, type, redirect_url: _, ...entered } = given
  const asked = { externalUuid, type, redirectUrl: null, entered }
  const effect = formEffect<StartedVerification>(deps)
  const { token, password } = await startVerification(deps, caller, seat.id, asked, effect)
  const isSent = entered.email !== undefined && (await sendsEmails(deps, seat.id))
  return linkPage(ask, token, isSent, seatPath(seat.id), password)
}

/** Returns a page with a link, and with its password if it has one. `isSent` states that an email contains the link. */
export const linkPage = (
  ask: ClientAsk,
  token: string,
  isSent: boolean,
  next: string,
  password: string | null = null,
): ClientReply =>
  secretPage(ask, {
    title: ask.t('console.client.link.made'),
    id: 'link',
    label: 'console.client.link',
    text: isSent ? 'console.client.newLink.wasSent' : 'console.client.link.once',
    secret: `${ask.deps.config.PUBLIC_URL}/verify/${token}`,
    done: 'settings.copied.link',
    next,
    children:
      password === null ? null : (
        <CopyField
          frame={ask.frame}
          id="password"
          label={ask.t('console.client.newLink.password')}
          hint={ask.t('console.client.newLink.password.text')}
          value={password}
        />
      ),
  })
