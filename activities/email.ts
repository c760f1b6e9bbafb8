/** Activity that sends an email. The row of the email determines whether it is still due. */
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { listSeatAdministrators } from '../src/db/access/user.ts'
import { findVaultWithLogo } from '../src/db/access/vault.ts'
import {
  countAttempt,
  findEmail,
  getPendingEmailForUpdate,
  type PendingEmail,
  readAddress,
  settleEmail,
} from '../src/db/cases/email.ts'
import { formCode, isCurrentCode } from '../src/db/cases/form-code.ts'
import { getIdentificationForUpdate } from '../src/db/cases/identification.ts'
import { cancelReminders, caseOf, declineKey } from '../src/db/cases/notice.ts'
import { appendTimeline } from '../src/db/cases/timeline.ts'
import { getReportedUrl } from '../src/db/cases/url-notice.ts'
import { getLinkForEmail } from '../src/db/cases/verification-link.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import type { Vault, VaultWithLogo } from '../src/domain/access/vault.ts'
import { LOGO_ID } from '../src/domain/email/html.ts'
import { type EmailContent, renderEmail } from '../src/domain/email/message.ts'
import {
  DAYS_TO_ERASURE,
  type EmailStatus,
  isOutcome,
  isReminder,
  isStillTrue,
  leadsToForm,
} from '../src/domain/email/notice.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import type { OutgoingEmail } from '../src/process/mailer.ts'
import type { EmailActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'

const HEARTBEAT_MS = 2_000
const DAY_MS = 86_400_000

/** The subject of an email. */
interface Subject {
  /** The address, or null if the reader has lost access. */
  readonly to: string | null
  /** False if a later change has made the notice untrue. */
  readonly isTrue: boolean
  write(): Promise<EmailContent>
  /** Records the result where the reader's case shows it. */
  settled?(tx: Database, status: EmailStatus, response?: string): Promise<void>
}

interface Begun {
  readonly email: PendingEmail
  readonly subject: Subject
}

export function createEmailActivities({
  db,
  mailer,
  emailLimits,
  publicUrl,
  log,
}: ActivityDeps): EmailActivities {
  /** Returns the email to send now, or null if it has ended. */
  async function begin(tx: Database, id: string): Promise<(Begun & { outgoing: OutgoingEmail }) | null> {
    const found = await findEmail(tx, id)
    if (!found) return null
    // Takes the locks in the same order as an erasure.
    const { vaultId, identificationId } = found
    const identification =
      identificationId === null ? null : await getIdentificationForUpdate(tx, vaultId, identificationId)
    const email = await getPendingEmailForUpdate(tx, id)
    const vault = await findVaultWithLogo(tx, vaultId)
    if (!email || !vault) return null
    const subject =
      'userId' in email && email.userId !== null
        ? await aboutUrl(tx, email, publicUrl)
        : identification && (await aboutCase(tx, email as CaseEmail, identification, publicUrl))
    if (!subject) return null
    const begun = { email, subject }
    const ended = await endedBy(tx, begun, vault)
    if (ended || subject.to === null) {
      await settle(tx, begun, ended ?? 'dropped')
      return null
    }
    return { ...begun, outgoing: await write(subject, subject.to, email, vault) }
  }

  /** Returns the status with which an email ends without another attempt, or null. */
  async function endedBy(tx: Database, { email, subject }: Begun, vault: Vault) {
    const isAllowed = vault.emails && (vault.emailOutcomes || !isOutcome(email.notice))
    if (!isAllowed || !subject.isTrue || subject.to === null) return 'dropped'
    if (email.isTooOld) return 'failed'
    return (await countAttempt(tx, email, emailLimits)) ? null : 'limited'
  }

  async function write(
    subject: Subject,
    to: string,
    { id }: PendingEmail,
    vault: VaultWithLogo,
  ): Promise<OutgoingEmail> {
    const content = await subject.write()
    return {
      ...{ id, to, senderName: vault.name, replyTo: vault.supportEmail },
      ...renderEmail(vault, content),
      logo: vault.logo && { id: LOGO_ID, png: vault.logo },
      declineUrl: content.declineUrl ?? null,
    }
  }

  return {
    async sendEmail(id) {
      // Also while this waits for a lock: a second attempt that starts meanwhile would send the email again.
      const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
      await send(id).finally(() => clearInterval(heartbeat))
    },
  }

  async function send(id: string): Promise<void> {
    const begun = await transaction(db, (tx) => begin(tx, id))
    if (!begun) return
    if (!mailer) throw ApplicationFailure.retryable('emails are off in this worker', 'emails_off')
    const { outcome, status } = await mailer.send(begun.outgoing)
    if (outcome === 'failed') {
      log.warn({ emailId: id, status }, 'mail server did not accept an email')
      throw ApplicationFailure.retryable(
        `the mail server did not accept the email: ${status}`,
        'not_accepted',
      )
    }
    await transaction(db, (tx) => settle(tx, begun, outcome, status))
  }
}

type CaseEmail = Extract<PendingEmail, { identificationId: string }>
type UrlEmail = Extract<PendingEmail, { webhookUrlId: string }>

async function aboutCase(
  tx: Database,
  { id, notice }: CaseEmail,
  { id: identificationId, vaultId, kybId, kind, name, surname, state }: Identification,
  publicUrl: string,
): Promise<Subject> {
  return {
    to: await readAddress(tx, id),
    isTrue:
      notice === 'code' ? await isCurrentCode(tx, { id, identificationId }) : isStillTrue(notice, state),
    async write() {
      const link = leadsToForm(notice) ? await getLinkForEmail(tx, identificationId) : null
      return {
        ...{ notice, kind, name: kind === 'person' ? `${name} ${surname}` : '' },
        link: link && { url: `${publicUrl}/verify/${link.token}`, expiresAt: link.expiresAt },
        ...(notice === 'code' && { code: formCode(tx, id) }),
        ...(notice === 'last_reminder' && { erasedAt: new Date(Date.now() + DAYS_TO_ERASURE * DAY_MS) }),
        ...(isReminder(notice) && {
          declineUrl: `${publicUrl}/verify/reminders/${identificationId}/${declineKey(tx, identificationId)}`,
        }),
      }
    },
    async settled(settling, status, response) {
      // Every further email would be refused, too.
      if (status === 'refused') await cancelReminders(settling, identificationId)
      await appendTimeline(settling, {
        vaultId,
        ...caseOf({ identificationId, kybId }),
        action: `email_${status}`,
        actor: 'system',
        causeId: `email:${id}`,
        internalNote: [notice, ...(status === 'sent' ? [] : [response])].join(' '),
      })
    },
  }
}

async function aboutUrl(
  tx: Database,
  { vaultId, webhookUrlId, userId, notice }: UrlEmail,
  publicUrl: string,
): Promise<Subject> {
  const url = await getReportedUrl(tx, webhookUrlId)
  const administrators = await listSeatAdministrators(tx, vaultId)
  return {
    to: administrators.find((each) => each.id === userId)?.email ?? null,
    isTrue: url?.isFailing === (notice === 'webhook_failing'),
    write: async () => ({
      ...{ notice, kind: 'company', host: url?.host ?? '' },
      link: {
        url: `${publicUrl}/console/client/${vaultId}/webhooks/urls/${webhookUrlId}`,
        expiresAt: null,
      },
    }),
  }
}

async function settle(
  tx: Database,
  { email, subject }: Begun,
  status: Exclude<EmailStatus, 'pending'>,
  response?: string,
): Promise<void> {
  if ((await settleEmail(tx, email.id, status)) && status !== 'dropped')
    await subject.settled?.(tx, status, response)
}
