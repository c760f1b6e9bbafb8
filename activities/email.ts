/** Activity that sends an email. The row of the email determines whether it is still due. */
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { findVaultWithLogo } from '../src/db/access/vault.ts'
import {
  countAttempt,
  findEmail,
  getPendingEmailForUpdate,
  type PendingEmail,
  settleEmail,
} from '../src/db/cases/email.ts'
import { formCode, isCurrentCode } from '../src/db/cases/form-code.ts'
import { getIdentificationForUpdate } from '../src/db/cases/identification.ts'
import { cancelReminders, caseOf, declineKey } from '../src/db/cases/notice.ts'
import { appendTimeline } from '../src/db/cases/timeline.ts'
import { getLinkForEmail } from '../src/db/cases/verification-link.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import type { Vault, VaultWithLogo } from '../src/domain/access/vault.ts'
import { LOGO_ID } from '../src/domain/email/html.ts'
import { renderEmail } from '../src/domain/email/message.ts'
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

interface About {
  readonly email: PendingEmail
  readonly identification: Identification
}

export function createEmailActivities({
  db,
  mailer,
  emailLimits,
  publicUrl,
  log,
}: ActivityDeps): EmailActivities {
  /** Returns the email to send now, or null if it has ended. */
  async function begin(tx: Database, id: string): Promise<(About & { outgoing: OutgoingEmail }) | null> {
    const found = await findEmail(tx, id)
    if (!found) return null
    // Takes the locks in the same order as an erasure.
    const identification = await getIdentificationForUpdate(tx, found.vaultId, found.identificationId)
    const email = await getPendingEmailForUpdate(tx, id)
    const vault = await findVaultWithLogo(tx, found.vaultId)
    if (!identification || !email || !vault) return null
    const about = { email, identification }
    const ended = await endedBy(tx, about, vault)
    if (ended) {
      await settle(tx, about, ended)
      return null
    }
    return { ...about, outgoing: await write(tx, about, vault) }
  }

  /** Returns the status with which an email ends without another attempt, or null. */
  async function endedBy(tx: Database, { email, identification }: About, vault: Vault) {
    const isAllowed = vault.emails && (vault.emailOutcomes || !isOutcome(email.notice))
    const isTrue =
      email.notice === 'code'
        ? await isCurrentCode(tx, email)
        : isStillTrue(email.notice, identification.state)
    if (!isAllowed || !isTrue) return 'dropped'
    if (email.isTooOld) return 'failed'
    return (await countAttempt(tx, email, emailLimits)) ? null : 'limited'
  }

  async function write(
    tx: Database,
    { email, identification }: About,
    vault: VaultWithLogo,
  ): Promise<OutgoingEmail> {
    const { id, notice, address } = email
    const { kind, name, surname } = identification
    const link = leadsToForm(notice) ? await getLinkForEmail(tx, identification.id) : null
    const declineUrl = isReminder(notice)
      ? `${publicUrl}/verify/reminders/${identification.id}/${declineKey(tx, identification.id)}`
      : null
    const message = renderEmail(vault, {
      notice,
      kind,
      name: kind === 'person' ? `${name} ${surname}` : '',
      link: link && { url: `${publicUrl}/verify/${link.token}`, expiresAt: link.expiresAt },
      code: notice === 'code' ? formCode(tx, id) : null,
      erasedAt: notice === 'last_reminder' ? new Date(Date.now() + DAYS_TO_ERASURE * DAY_MS) : null,
      declineUrl,
    })
    return {
      id,
      senderName: vault.name,
      replyTo: vault.supportEmail,
      to: address,
      ...message,
      logo: vault.logo && { id: LOGO_ID, png: vault.logo },
      declineUrl,
    }
  }

  return {
    async sendEmail(id) {
      const begun = await transaction(db, (tx) => begin(tx, id))
      if (!begun) return
      if (!mailer) throw ApplicationFailure.retryable('emails are off in this worker', 'emails_off')
      const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
      const { outcome, status } = await mailer.send(begun.outgoing).finally(() => clearInterval(heartbeat))
      if (outcome === 'failed') {
        log.warn({ emailId: id, status }, 'mail server did not accept an email')
        throw ApplicationFailure.retryable(
          `the mail server did not accept the email: ${status}`,
          'not_accepted',
        )
      }
      await transaction(db, (tx) => settle(tx, begun, outcome, status))
    },
  }
}

/** Records the end of an email, with its timeline entry. */
async function settle(
  tx: Database,
  { email, identification }: About,
  status: Exclude<EmailStatus, 'pending'>,
  response?: string,
): Promise<void> {
  if (!(await settleEmail(tx, email.id, status)) || status === 'dropped') return
  const { vaultId, id: identificationId, kybId } = identification
  // Every further email would be refused, too.
  if (status === 'refused') await cancelReminders(tx, identificationId)
  await appendTimeline(tx, {
    vaultId,
    ...caseOf({ identificationId, kybId }),
    action: `email_${status}`,
    actor: 'system',
    causeId: `email:${email.id}`,
    internalNote: [email.notice, ...(status === 'sent' ? [] : [response])].join(' '),
  })
}
