/** Activity that sends an email. The row of the email determines whether it is still due. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { findVaultWithLogo } from '../src/db/access/vault.ts'
import { getIdentificationForUpdate } from '../src/db/cases/identification.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import {
  countAttempt,
  findEmail,
  getPendingEmailForUpdate,
  type PendingEmail,
  releaseEmail,
  settleEmail,
} from '../src/db/email/email.ts'
import type { Vault, VaultWithLogo } from '../src/domain/access/vault.ts'
import { LOGO_ID } from '../src/domain/email/html.ts'
import { renderEmail } from '../src/domain/email/message.ts'
import { type EmailStatus, sendsNotice } from '../src/domain/email/notice.ts'
import type { OutgoingEmail } from '../src/process/mailer.ts'
import type { Lease } from '../src/webhooks/leases.ts'
import type { EmailActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { type Subject, subjectOf } from './email-subject.ts'

const HEARTBEAT_MS = 2_000
/** How long and how often an attempt tries to record its result. Without it, the next attempt sends the email again. */
const RECORD_MS = 60_000
const RECORD_PAUSE_MS = 500
/** The pause of an attempt that waits for another one. */
const HELD_PAUSE_MS = 5_000

interface Begun {
  readonly email: PendingEmail
  readonly subject: Subject
}

export function createEmailActivities({
  db,
  leases,
  mailer,
  emailLimits,
  publicUrl,
  log,
}: ActivityDeps): EmailActivities {
  const inProgress = new Set<string>()

  /** Returns the email to send now, or null if it has ended. */
  async function begin(
    tx: Database,
    id: string,
    { id: leaseId }: Lease,
  ): Promise<(Begun & { outgoing: OutgoingEmail }) | null> {
    const found = await findEmail(tx, id)
    if (!found) return null
    // Takes the locks in the same order as an erasure.
    const { vaultId, identificationId } = found
    const identification =
      identificationId === null ? null : await getIdentificationForUpdate(tx, vaultId, identificationId)
    const email = await getPendingEmailForUpdate(tx, id, leaseId)
    const vault = await findVaultWithLogo(tx, vaultId)
    if (!email || !vault) return null
    if (!email.isFree) throw isHeld()
    const subject = await subjectOf(tx, email, identification, publicUrl)
    if (!subject) {
      // The reader was removed.
      await settleEmail(tx, id, 'dropped')
      return null
    }
    const begun = { email, subject }
    const ended = await endedBy(tx, begun, vault, leaseId)
    if (ended || subject.to === null) {
      await settle(tx, begun, ended ?? 'dropped')
      return null
    }
    return { ...begun, outgoing: await write(subject, subject.to, email, vault) }
  }

  /** Returns the status with which an email ends without another attempt, or null. */
  async function endedBy(tx: Database, { email, subject }: Begun, vault: Vault, leaseId: string) {
    if (!sendsNotice(vault, email.notice) || !subject.isTrue || subject.to === null) return 'dropped'
    if (email.isTooOld) return 'failed'
    return (await countAttempt(tx, email, leaseId, emailLimits)) ? null : 'limited'
  }

  async function write(
    subject: Subject,
    to: string,
    { id }: PendingEmail,
    vault: VaultWithLogo,
  ): Promise<OutgoingEmail> {
    const content = await subject.write()
    const language = vault.languages.find((offered) => offered === subject.language) ?? vault.defaultLanguage
    return {
      ...{ id, to, senderName: vault.name, replyTo: vault.supportEmail },
      ...renderEmail({ ...vault, defaultLanguage: language }, content),
      logo: vault.logo && { id: LOGO_ID, png: vault.logo },
      declineUrl: content.declineUrl ?? null,
    }
  }

  return {
    /**
     * Sends an email unless another attempt may still be sending it. Temporal starts a second attempt if it misses the
     * first one's heartbeats, although its process may be alive.
     */
    async sendEmail(id) {
      if (inProgress.has(id)) throw isHeld()
      inProgress.add(id)
      const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
      try {
        const lease = await leases.getCurrent()
        await leases.keepDuring(lease, attempt(id, lease))
      } finally {
        clearInterval(heartbeat)
        inProgress.delete(id)
      }
    },
  }

  async function attempt(id: string, lease: Lease): Promise<void> {
    try {
      const begun = await transaction(db, (tx) => begin(tx, id, lease))
      if (!begun) return
      if (!mailer) throw ApplicationFailure.retryable('emails are off in this worker', 'emails_off')
      if (!lease.isHeld()) throw isHeld()
      const { outcome, status } = await mailer.send(begun.outgoing)
      if (outcome !== 'failed') return await record(begun, outcome, status)
      log.warn({ emailId: id, status }, 'mail server did not accept an email')
      throw ApplicationFailure.retryable(
        `the mail server did not accept the email: ${status}`,
        'not_accepted',
      )
    } catch (error) {
      await releaseEmail(db, id, lease.id).catch(() => leases.abandon(lease))
      throw error
    }
  }

  async function record(begun: Begun, outcome: 'sent' | 'refused', status: string): Promise<void> {
    const until = performance.now() + RECORD_MS
    for (;;) {
      try {
        return await transaction(db, (tx) => settle(tx, begun, outcome, status))
      } catch (error) {
        if (performance.now() > until) throw error
      }
      await sleep(RECORD_PAUSE_MS, undefined, { ref: false })
    }
  }
}

const isHeld = () =>
  ApplicationFailure.create({
    message: 'another attempt may still be sending the email',
    type: 'held',
    nextRetryDelay: HELD_PAUSE_MS,
    category: ApplicationFailureCategory.BENIGN,
  })

async function settle(
  tx: Database,
  { email, subject }: Begun,
  status: Exclude<EmailStatus, 'pending'>,
  response?: string,
): Promise<void> {
  if ((await settleEmail(tx, email.id, status)) && status !== 'dropped')
    await subject.settled?.(tx, status, response)
}
