/**
 * The colours and logo of a vault's hosted pages, and the addresses at which browsers may cache them. The colours are a file,
 * because the content security policy allows no inline styles.
 */
import { createHash } from 'node:crypto'
import { findVaultWithLogo } from '../../db/access/vault.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { Deps } from '../deps.ts'

type Look = Pick<Vault, 'id' | 'accentColor' | 'accentColorDark' | 'logoHash'>

/** By the names that src/pages/styles/base.css has for them; empty where the vault has none of its own. */
export function brandStyle({ accentColor, accentColorDark }: Look): string {
  const colors = Object.entries({ '--brand': accentColor, '--brand-dark': accentColorDark })
  const set = colors.filter(([, color]) => color !== null).map(([name, color]) => `${name}:${color}`)
  return set.length > 0 ? `:root{${set.join(';')}}` : ''
}

/** Another one for other content, so that browsers may keep what is at the address. */
export const brandVersion = (look: Look): string =>
  createHash('sha256')
    .update(`${brandStyle(look)}${look.logoHash}`)
    .digest('hex')
    .slice(0, 16)

const pathOf = (look: Look, file: string) => `/verify/vaults/${look.id}/${brandVersion(look)}/${file}`

/** Null where the vault has no colours of its own. */
export const brandStylePath = (look: Look): string | null =>
  brandStyle(look) === '' ? null : pathOf(look, 'brand.css')

/** Null where the vault has no logo. */
export const logoPath = (look: Look): string | null =>
  look.logoHash === null ? null : pathOf(look, 'logo.png')

export type BrandFile = 'brand.css' | 'logo.png'

/** Returns the content of a file at its address, or null if the vault has no such file in this version. */
export async function getBrandFile(
  { db }: Pick<Deps, 'db'>,
  vaultId: string,
  version: string,
  file: BrandFile,
): Promise<string | Buffer | null> {
  const vault = await findVaultWithLogo(db, vaultId)
  if (!vault || version !== brandVersion(vault)) return null
  return (file === 'logo.png' ? vault.logo : brandStyle(vault)) || null
}
