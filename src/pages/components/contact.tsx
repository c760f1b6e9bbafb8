/** Component: how a reader reaches the vault: by email, or by its name. */
import type { Vault } from '../../domain/access/vault.ts'
import type { Translate } from '../texts/index.ts'

/** The part of a page's frame that states whom to contact. */
interface ContactFrame {
  readonly t: Translate
  readonly vault: Pick<Vault, 'name' | 'supportEmail'> | null
}

/** Returns the address of an email to the vault, or null if the vault has no address. */
export const mailTo = ({ vault }: Pick<ContactFrame, 'vault'>, subject?: string): string | null =>
  vault?.supportEmail
    ? `mailto:${vault.supportEmail}${subject ? `?subject=${encodeURIComponent(subject)}` : ''}`
    : null

/** Shows whom to contact, in one sentence. Without an address, this is the vault, or the sender of the link. */
export function Contact({ frame, frame: { t, vault } }: { readonly frame: ContactFrame }) {
  const href = mailTo(frame)
  if (href === null) return vault ? t('contact.vault', { vault: vault.name }) : t('contact.sender')
  return (
    <>
      {t('contact.email')} <a href={href}>{vault?.supportEmail}</a>.
    </>
  )
}

/** Shows whom to ask. */
export const Questions = ({ frame }: { readonly frame: ContactFrame }) => (
  <>
    {frame.t('page.questions')} <Contact frame={frame} />
  </>
)
