/** Formats the recorded values of settings and actions as text. */
import type { OperatorRole } from '../../../domain/access/grant.ts'
import type { Names } from '../../../use-cases/access/names.ts'
import type { Frame } from '../../components/layout.tsx'
import { isTextName, type Translate } from '../../texts/index.ts'
import { percentOf, showPercent } from '../../values/numbers.ts'
import { labelOf, languageName } from '../base/form.ts'
import { momentOf } from '../base/words.ts'
import { grantText } from './grants.tsx'

const SHOWN = 300

/** Formats a JSON value of the setting `name` as a short text. */
export function valueText(frame: Frame, vaults: Names, name: string, value: unknown): string {
  const text = wholeText(frame, vaults, name, value)
  return text.length > SHOWN ? `${[...text.slice(0, SHOWN)].slice(0, -1).join('')}…` : text
}

const textOr = (t: Translate, name: string, code: string): string => (isTextName(name) ? t(name) : code)

/** Functions that return the label of a code, keyed by setting. The values of other settings appear unchanged. */
const CODES: Readonly<Record<string, (t: Translate, code: string) => string>> = {
  action: (t, code) => textOr(t, `actions.${code}`, code),
  method: (t, code) => textOr(t, `settings.method.${code}`, code),
  roles: labelOf,
  operator_roles: labelOf,
  four_eyes: labelOf,
  languages: languageName,
  default_language: languageName,
  template_language: languageName,
}

function wholeText(frame: Frame, vaults: Names, name: string, value: unknown): string {
  const { t } = frame
  if (Array.isArray(value)) return value.map((each) => valueText(frame, vaults, name, each)).join(', ')
  if (typeof value === 'boolean') return t(value ? 'page.yes' : 'page.no')
  if (typeof value === 'number' && name === 'trading_fee')
    return showPercent(percentOf(value), frame.language)
  if (typeof value === 'number' && name === 'expires_at') return momentOf(frame, value)
  if (typeof value === 'string') return CODES[name]?.(t, value) ?? value
  if (typeof value !== 'object' || value === null) return String(value)
  const { id, roles, role, vault_id, count, sha256 } = value as {
    role?: OperatorRole
    vault_id?: string | null
    id?: string
    roles?: unknown
    count?: number
    sha256?: string
  }
  if (sha256 !== undefined)
    return t('settings.audit.summary', { count: count ?? 1, hash: sha256.slice(0, 16) })
  if (role !== undefined) return grantText(t, vaults, { role, vaultId: vault_id ?? null })
  return `${vaults.get(id ?? '') ?? id} (${valueText(frame, vaults, 'roles', roles)})`
}
