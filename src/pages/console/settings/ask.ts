import type { ComponentChildren } from 'preact'
import { hasPermission, type Permission, vaultsFor } from '../../../domain/access/grant.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import type { FormAsk, PageContent } from '../base/ask.ts'
import type { SectionName, VaultSectionName } from './sections.ts'

export interface Ask extends FormAsk {
  /** The ID in the address, or an empty text if the address has none. */
  readonly id: string
  /** The ID of the comment template in the address, or an empty text if the address has none. */
  readonly templateId: string
  /** The ID of the webhook URL in the address, or an empty text if the address has none. */
  readonly urlId: string
}

export interface ChosenVault extends Vault {
  readonly names: Names
}

/** The section of a page in the navigation. */
type Place =
  | { readonly section: SectionName; readonly vault?: undefined }
  | { readonly section: VaultSectionName; readonly vault: ChosenVault }

export type SettingsPage = Place &
  PageContent & {
    /** The third column, such as a preview. */
    readonly aside?: ComponentChildren
  }

/** A page, or the path to which the browser is redirected. Null if the form does not contain the session's token. */
export type Reply = SettingsPage | string | null

export type Handler = (ask: Ask) => Reply | Promise<Reply>

/** Returns the place of a vault's page. Throws the errors of `getVault`. */
export async function placeInVault(
  { deps, visit, id }: Ask,
  section: VaultSectionName,
  { vaultId = id, permission = 'read_settings' as Permission } = {},
): Promise<Extract<Place, { vault: ChosenVault }>> {
  const vault = await getVault(deps, visit, permission, vaultId)
  return {
    section,
    vault: { ...vault, names: await listVaultNames(deps, vaultsFor(visit, 'read_settings')) },
  }
}

export const mayAdminister = ({ visit }: Ask, vaultId: string): boolean =>
  hasPermission(visit, 'administer', vaultId)

export const mayAdministerAll = ({ visit }: Ask): boolean => hasPermission(visit, 'administer_deployment')
