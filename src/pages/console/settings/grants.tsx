/** Component: inputs for the grants of an operator or a group, in one vault or in all vaults. */
import type { ComponentChildren } from 'preact'
import { CLIENT_ROLES, type ClientRole, SEAT_ROLES, type VaultRole } from '../../../domain/access/access.ts'
import {
  type Grant,
  OPERATOR_ROLES,
  type OperatorRole,
  type Permission,
  permissionsOf,
} from '../../../domain/access/grant.ts'
import { type SeatPermission, seatPermissionsOf } from '../../../domain/access/seat.ts'
import type { Names } from '../../../use-cases/access/names.ts'
import type { Frame } from '../../components/layout.tsx'
import type { TextName, Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { chosenOf, labelOf, listOf, type Option, textOf } from '../base/form.ts'
import { Checkboxes, Select } from '../base/inputs.tsx'
import { capital } from '../base/words.ts'
import type { Ask } from './ask.ts'

export const SHOWN_VAULT_ROLES: readonly VaultRole[] = [...SEAT_ROLES, ...CLIENT_ROLES]

/** Returns the value that represents a grant in forms. */
export const grantValue = ({ role, vaultId }: Grant): string => `${role}:${vaultId ?? ''}`

/** Returns the label of the role, with the name of the vault if the grant is for one vault. */
export const grantText = (t: Translate, names: Names, { role, vaultId }: Grant): string =>
  vaultId === null ? labelOf(t, role) : `${labelOf(t, role)} · ${names.get(vaultId) ?? vaultId}`

export const grantsText = (t: Translate, names: Names, grants: readonly Grant[]): string =>
  grants.map((grant) => grantText(t, names, grant)).join(', ')

const VAULT_PERMISSIONS: Readonly<Record<VaultRole, readonly (ClientRole | SeatPermission)[]>> = {
  api_read: ['api_read'],
  api_write: ['api_write'],
  client_viewer: seatPermissionsOf('client_viewer'),
  client_admin: seatPermissionsOf('client_admin'),
}

/** Returns a line with the permissions, which begins with a capital letter. */
function permissionsText(
  { t, language }: Frame,
  permissions: readonly (Permission | ClientRole | SeatPermission)[],
): string {
  return capital(language, permissions.map((each) => t(`settings.can.${each}`)).join(', '))
}

const roleOption = (frame: Frame, names: Names, grant: Grant): Option => ({
  value: grantValue(grant),
  label: grantText(frame.t, names, grant),
  hint: permissionsText(frame, permissionsOf(grant)),
})

/** The roles of a vault's users: its people, and its programs. The first group shows the problems of both. */
const VAULT_ROLE_GROUPS = [
  { id: 'roles', label: 'settings.clientRoles', roles: SEAT_ROLES },
  { id: 'api_roles', label: 'settings.apiRoles', hint: 'settings.roles.hint', roles: CLIENT_ROLES },
] as const

/** Renders checkboxes for the roles of a vault's users, with the permissions of each. */
export const VaultRoleInputs = ({ ask: { frame, t, again } }: Pick<GrantInputsProps, 'ask'>) =>
  VAULT_ROLE_GROUPS.map(({ id, label, roles, ...group }) => (
    <Checkboxes
      key={id}
      frame={frame}
      again={again}
      id={id}
      name="roles"
      label={t(label)}
      hint={'hint' in group ? t(group.hint) : undefined}
      options={roles.map((role) => ({
        value: role,
        label: labelOf(t, role),
        hint: permissionsText(frame, VAULT_PERMISSIONS[role]),
      }))}
    />
  ))

interface GrantInputsProps {
  readonly ask: Ask
  readonly grants: readonly Grant[]
  readonly names: Names
  readonly label?: TextName
  readonly hint?: TextName
}

export function GrantInputs({ ask: { frame, t, again }, grants, names, label, hint }: GrantInputsProps) {
  const offered: readonly Grant[] = [
    ...OPERATOR_ROLES.map((role) => ({ role, vaultId: null })),
    ...grants.filter(({ vaultId }) => vaultId !== null),
  ]
  return (
    <Checkboxes
      frame={frame}
      again={again}
      name="operator_roles"
      label={label && t(label)}
      hint={hint && t(hint)}
      options={offered.map((grant) => roleOption(frame, names, grant))}
      chosen={grants.map(grantValue)}
    />
  )
}

export interface VaultGrantInputsProps extends Pick<GrantInputsProps, 'ask' | 'names' | 'hint'> {
  readonly label: TextName
  readonly none?: TextName
  readonly children?: ComponentChildren
}

export const VaultGrantInputs = ({
  ask: { frame, t, again },
  names,
  label,
  hint,
  none = 'settings.vaults.noneMore',
  children,
}: VaultGrantInputsProps) => (
  <>
    <Select
      frame={frame}
      again={again}
      name="vaults"
      label={t(label)}
      hint={hint && t(hint)}
      none={none}
      options={vaultOptions(names)}
    />
    {children}
    <Checkboxes
      frame={frame}
      again={again}
      name="grant_roles"
      options={OPERATOR_ROLES.map((role) => ({
        value: role,
        label: labelOf(t, role),
        hint: permissionsText(frame, permissionsOf({ role, vaultId: '' })),
      }))}
    />
  </>
)

const vaultOptions = (names: Names): Option[] => [...names].map(([value, label]) => ({ value, label }))

/** Returns the grants that the form sets, in the format of the API, or undefined if the form changed nothing. */
export function sentGrants(sent: Sent, now: readonly Grant[]) {
  const kept = chosenOf(sent, 'operator_roles', now.map(grantValue))
  const vaultId = textOf(sent, 'vaults')
  const added = vaultId === null ? [] : listOf(sent, 'grant_roles').map((role) => `${role}:${vaultId}`)
  if (kept === undefined && added.length === 0) return undefined
  return [...new Set([...(kept ?? now.map(grantValue)), ...added])].map((value) => {
    const [role = '', vault = ''] = value.split(':')
    return { role: role as OperatorRole, vault_id: vault || null }
  })
}
