/** Sends emails to the mail server of the settings. Results contain no addresses. */
import { createTransport } from 'nodemailer'
import type { Config } from './config.ts'
import { isPrivateHost } from './production.ts'

export interface OutgoingEmail {
  /** The ID, which is the same in each attempt. */
  readonly id: string
  readonly senderName: string
  readonly replyTo: string | null
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The logo that the HTML shows, or null. */
  readonly logo: { readonly id: string; readonly png: Buffer } | null
  /** The URL that accepts a POST to decline further emails of this kind (RFC 8058), or null. */
  readonly declineUrl: string | null
}

/**
 * The result of an attempt, with the status of the mail server, such as `550 5.1.1`, or the reason for the failure, such
 * as `ETLS`. `refused` is final.
 */
interface MailResult {
  readonly outcome: 'sent' | 'refused' | 'failed'
  readonly status: string
}

export interface Mailer {
  /** Connects and signs in, without sending an email. Returns null, or the reason for the failure. */
  check(): Promise<string | null>
  send(email: OutgoingEmail): Promise<MailResult>
}

const CONNECT_MS = 10_000
const RESPONSE_MS = 20_000
const EMAIL_MS = 40_000

/** Matches one address. The library would send an email to each address of a list or a group. */
const ONE_ADDRESS = /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]+@[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]+$/u

/** Returns null if the settings name no mail server. */
export function createMailer({
  SMTP_URL,
  MAIL_FROM: sender,
}: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): Mailer | null {
  if (SMTP_URL === undefined || sender === undefined) return null
  const { protocol, hostname, port, username, password } = new URL(SMTP_URL)
  const isSecure = protocol === 'smtps:'
  const isPrivate = isPrivateHost(hostname)
  const transport = createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    // A private host may have no certificate. Other hosts must offer STARTTLS.
    requireTLS: !isSecure && !isPrivate,
    tls: { rejectUnauthorized: !isPrivate },
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: RESPONSE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = sender.slice(sender.lastIndexOf('@') + 1)

  return {
    check: () =>
      transport.verify().then(
        () => null,
        (error) => resultOf(error as SmtpError).status,
      ),
    async send({ id, senderName, replyTo, to, subject, text, html, logo, declineUrl }) {
      if (!ONE_ADDRESS.test(to)) return { outcome: 'refused', status: '501 5.1.3' }
      try {
        const { response } = await transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from: { name: senderName, address: sender },
          ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
          to: { name: '', address: to },
          envelope: { from: sender, to: [to] },
          subject,
          text,
          html,
          ...(logo && {
            attachments: [
              {
                ...{ cid: logo.id, filename: 'logo.png', contentType: 'image/png' },
                ...{ content: logo.png, contentDisposition: 'inline' as const },
              },
            ],
          }),
          headers: {
            // Suppresses automatic replies (RFC 3834).
            'Auto-Submitted': 'auto-generated',
            ...(declineUrl !== null && {
              'List-Unsubscribe': `<${declineUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
          signal: AbortSignal.timeout(EMAIL_MS),
        })
        return { outcome: 'sent', status: statusIn(response) }
      } catch (error) {
        return resultOf(error as SmtpError)
      }
    },
  }
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

/** The commands whose refusal concerns the recipient or the text. Other refusals concern the settings. */
const ABOUT_EMAIL = new Set(['RCPT TO', 'DATA'])

function resultOf({ code, command = '', response, responseCode = 0 }: SmtpError): MailResult {
  const isFinal = responseCode >= 500 && ABOUT_EMAIL.has(command)
  return {
    outcome: isFinal ? 'refused' : 'failed',
    status: response ? statusIn(response) : (code ?? 'ERROR'),
  }
}

/** Returns the codes of a response. Its text is omitted, because servers quote addresses in it. */
const statusIn = (response: string): string =>
  /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0].replace('-', ' ') ?? ''
