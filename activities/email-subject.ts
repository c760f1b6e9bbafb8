/** Determines the reader and the content of an email from its subject: a case, a beneficiary or a webhook URL. */

import { findLanguage } from '../src/db/access/link-language.ts'
import { listSeatAdministrators } from '../src/db/access/user.ts'
import { addTitles } from '../src/db/cases/title.ts'
import { appendTimeline } from '../src/db/commands/timeline.ts'
import type { Database } from '../src/db/connection/database.ts'
import { type PendingEmail, readAddress } from '../src/db/email/email.ts'
import { formCode, isCurrentCode } from '../src/db/email/form-code.ts'
import { cancelReminders, caseOf, declineKey, findAddress } from '../src/db/email/notice.ts'
import { cancelPersonReminders, findInvited, isNewestLink } from '../src/db/email/person-notice.ts'
import { getReportedUrl } from '../src/db/email/url-notice.ts'
import { getLinkForEmail } from '../src/db/email/verification-link.ts'
import type { Language } from '../src/domain/base/language.ts'
import type { EmailContent } from '../src/domain/email/message.ts'
import {
  DAYS_TO_ERASURE,
  type EmailStatus,
  isReminder,
  isStillTrue,
  leadsToForm,
} from '../src/domain/email/notice.ts'
import { referenceOf } from '../src/domain/entity/reference.ts'
import type { Identification } from '../src/domain/identification/record.ts'

const DAY_MS = 86_400_000

export interface Subject {
  /** The address, or null if the reader has lost access. */
  readonly to: string | null
  /** False if a later change has made the notice untrue. */
  readonly isTrue: boolean
  /** The language in which the reader last read the pages, or null. */
  readonly language: Language | null
  write(): Promise<EmailContent>
  /** Records the result where the reader's case shows it. */
  settled?(tx: Database, status: EmailStatus, response?: string): Promise<void>
}

type CaseEmail = Extract<PendingEmail, { identificationId: string }>
type UrlEmail = Extract<PendingEmail, { webhookUrlId: string }>

/** Returns the subject, or null if it no longer exists. The identification of a case must be locked. */
export async function subjectOf(
  tx: Database,
  email: PendingEmail,
  identification: Identification | null,
  publicUrl: string,
): Promise<Subject | null> {
  if ('userId' in email && email.userId !== null) return aboutUrl(tx, email, publicUrl)
  if (!identification) return null
  const ofCase = email as CaseEmail
  const { beneficiaryId } = ofCase
  return beneficiaryId
    ? aboutPerson(tx, { ...ofCase, beneficiaryId }, identification, publicUrl)
    : aboutCase(tx, ofCase, identification, publicUrl)
}

async function aboutCase(
  tx: Database,
  email: CaseEmail,
  identification: Identification,
  publicUrl: string,
): Promise<Subject> {
  const { id, notice } = email
  const { id: identificationId, kind, kybId, state } = identification
  const to = await readAddress(tx, id)
  const isCurrent =
    notice === 'code' ? await isCurrentCode(tx, { id, identificationId }) : isStillTrue(notice, state)
  return {
    to,
    // The client may have replaced the address. The email would contain the link for the new one.
    isTrue: isCurrent && (await findAddress(tx, identificationId)) === to,
    language: await findLanguage(tx, identificationId),
    async write() {
      const link = leadsToForm(notice) ? await getLinkForEmail(tx, identificationId) : null
      const [titled] = await addTitles(tx, [{ kind: 'identification', id: identificationId }])
      const title = titled?.title ?? ''
      return {
        ...{ notice, kind },
        ...(kind === 'person' ? { name: title } : { company: title }),
        link: link && { url: `${publicUrl}/verify/${link.token}`, expiresAt: link.expiresAt },
        ...(notice === 'code' && { code: formCode(tx, id) }),
        reference: referenceOf(kybId ?? identificationId),
        ...(notice === 'last_reminder' && { erasedAt: new Date(Date.now() + DAYS_TO_ERASURE * DAY_MS) }),
        ...(isReminder(notice) && { declineUrl: declineUrl(tx, publicUrl, identificationId) }),
      }
    },
    settled: settleCase(email, identification, (settling) => cancelReminders(settling, identificationId)),
  }
}

async function aboutPerson(
  tx: Database,
  email: CaseEmail & { readonly beneficiaryId: string },
  identification: Identification,
  publicUrl: string,
): Promise<Subject | null> {
  const { id, notice, beneficiaryId } = email
  const person = await findInvited(tx, beneficiaryId)
  if (!person) return null
  const to = await readAddress(tx, id)
  const isNewest = notice !== 'link' || (await isNewestLink(tx, email))
  return {
    to,
    isTrue: person.isAwaited && person.address === to && isNewest,
    language: person.language,
    write: async () => ({
      ...{ notice, kind: 'person', name: person.fullName },
      ...{ company: person.company, isOwner: person.isOwner },
      link: { url: `${publicUrl}/verify/${person.token}`, expiresAt: person.expiresAt },
      ...(isReminder(notice) && { declineUrl: declineUrl(tx, publicUrl, beneficiaryId) }),
    }),
    settled: settleCase(email, identification, (settling) => cancelPersonReminders(settling, beneficiaryId)),
  }
}

const declineUrl = (tx: Database, publicUrl: string, id: string): string =>
  `${publicUrl}/verify/reminders/${id}/${declineKey(tx, id)}`

/** Returns a function that records the result in the timeline, and cancels the reminders after a refusal. */
const settleCase =
  (
    { id, notice }: CaseEmail,
    { id: identificationId, vaultId, kybId }: Identification,
    cancel: (tx: Database) => Promise<void>,
  ): NonNullable<Subject['settled']> =>
  async (tx, status, response) => {
    // Every further email would be refused, too.
    if (status === 'refused') await cancel(tx)
    await appendTimeline(tx, caseOf({ identificationId, vaultId, kybId }), {
      action: `email_${status}`,
      actor: 'system',
      causeId: `email:${id}`,
      internalNote: [notice, ...(status === 'sent' ? [] : [response])].join(' '),
    })
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
    language: null,
    write: async () => ({
      ...{ notice, kind: 'company', host: url?.host ?? '' },
      link: {
        url: `${publicUrl}/console/client/${vaultId}/webhooks/urls/${webhookUrlId}`,
        expiresAt: null,
      },
    }),
  }
}
