/**
 * Use cases for the branding files of hosted pages and the paths of these files. The colours are in a file, because the
 * content security policy forbids inline styles.
 */
import { createHash } from 'node:crypto'
import { findVaultWithLogo } from '../../db/access/vault.ts'
import { accentsOf } from '../../domain/access/branding.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { WithDb } from '../base/deps.ts'

type Branding = Pick<Vault, 'id' | 'accentColor' | 'accentColorDark' | 'logoHash'>

/** Returns the colours as custom properties of src/pages/styles/tokens.css, or an empty text if the vault has none. */
export function brandStyle(branding: Pick<Branding, 'accentColor' | 'accentColorDark'>): string {
  const { light, dark } = accentsOf(branding)
  const colors = Object.entries({ '--brand': light, '--brand-dark': dark })
  const set = colors.filter(([, color]) => color !== null).map(([name, color]) => `${name}:${color}`)
  return set.length > 0 ? `:root{${set.join(';')}}` : ''
}

/** Returns a version that depends on the content, so that browsers can cache the files permanently. */
const brandVersion = (branding: Branding): string =>
  createHash('sha256')
    .update(`${brandStyle(branding)}${branding.logoHash}`)
    .digest('hex')
    .slice(0, 16)

const pathOf = (branding: Branding, file: string) =>
  `/verify/vaults/${branding.id}/${brandVersion(branding)}/${file}`

/** Returns the path of the colours, or null if the vault has none. */
export const brandStylePath = (branding: Branding): string | null =>
  brandStyle(branding) === '' ? null : pathOf(branding, 'brand.css')

/** Returns the path of the logo, or null if the vault has none. */
export const logoPath = (branding: Branding): string | null =>
  branding.logoHash === null ? null : pathOf(branding, 'logo.png')

export type BrandFile = 'brand.css' | 'logo.png'

/** Returns the content of a branding file, or null if the vault has no such file in this version. */
export async function getBrandFile({ db }: WithDb, vaultId: string, version: string, file: BrandFile) {
  const vault = await findVaultWithLogo(db, vaultId)
  if (!vault || version !== brandVersion(vault)) return null
  return (file === 'logo.png' ? vault.logo : brandStyle(vault)) || null
}
