/** The rules of docs/access.md: what each route requires, and what each caller may do. */

export type Surface = 'client' | 'operator' | 'console'

export interface Row {
  readonly surface: Surface
  readonly method: string
  readonly path: string
}

export const nameOf = ({ surface, method, path }: Row): string => `${surface}: ${method} ${path}`

/** `public` routes need no credentials. `self` routes are about the caller's own account. */
type Needed = 'public' | 'self' | string | readonly string[]

/** The first rule that matches the surface, the method and the path applies. */
const RULES: readonly (readonly [RegExp, Needed])[] = [
  [/^(client|operator): (POST \/sign_in|GET \/openapi.json|GET \/docs)$/, 'public'],
  [/^(client|operator): POST \/users\/(change_password|otp|otp\/confirm)$/, 'self'],
  // This route only reports whether the password matches.
  [/^client: POST \/kyb\/validate_password\/:id$/, 'api_read'],
  // A link allows its holder to read and change stored data.
  [/^client: POST \/kyb\/:id\/(form_link|beneficiaries\/:external_id\/link)$/, ['api_read', 'api_write']],
  [/^client: GET /, 'api_read'],
  [/^client: /, 'api_write'],
  [/^console: \w+ \/console\/(sign_in|sign_out|password|codes|sso|single_sign_on)\b/, 'self'],
  [/^console: (GET \/console\/client\b|POST \/console\/client\/:vault\/search$)/, 'read_own'],
  [/^console: \w+ \/console\/client\b/, 'manage_own'],
  [
    /^console: \w+ \/console\/settings\/users\/.*(new|revoke_tokens|reset_password|remove_codes)$/,
    'administer_deployment',
  ],
  [/^console: GET \/console\/settings\/(users|single_sign_on|groups)(?!\/new)\b/, 'read_deployment'],
  [/^console: \w+ \/console\/settings\/(users|groups|vaults\/new)\b/, 'administer_deployment'],
  [/^console: GET \/console\/settings(?!.*\/(new|remove|revoke|import)$)/, 'read_settings'],
  [/^console: \w+ \/console\/settings\b/, 'administer'],
  [/^operator: GET \/(users|operator_groups)\b/, 'read_deployment'],
  [/^operator: (\w+ \/(users|operator_groups)\b|POST \/vaults$)/, 'administer_deployment'],
  [/^operator: POST \/vaults\/:id\/profile\/draft\/(check|rehearse)$/, 'read_settings'],
  [/^operator: GET \/(vaults|profiles|api_keys|audit|admin_actions|erasures|events)\b/, 'read_settings'],
  [/^operator: \w+ \/(vaults|api_keys|audit|admin_actions|events)\b/, 'administer'],
  // Every operator who reads cases has filters and searches.
  [/^operator: \w+ \/queue_filters\b|^console: \w+ \/console\/(search|filters)\b/, 'read_cases'],
  [/^(operator: .*|console: POST .*)(\/cases\/:\w+\/close|\/decision\/(confirm|compare))$/, 'confirm'],
  [/^(operator|console): GET /, 'read_cases'],
  [/^(operator|console): /, 'decide'],
]

export const neededFor = (row: Row): readonly string[] =>
  [RULES.find(([pattern]) => pattern.test(nameOf(row)))?.[1] ?? []].flat()

export const OPERATOR_ROLES = ['auditor', 'reviewer', 'senior_reviewer', 'administrator'] as const

/** The permissions of each role, as docs/access.md states them. */
export const PERMITTED: Readonly<Record<(typeof OPERATOR_ROLES)[number], readonly string[]>> = {
  auditor: ['read_cases', 'read_settings', 'read_deployment'],
  reviewer: ['read_cases', 'decide'],
  senior_reviewer: ['read_cases', 'decide', 'confirm'],
  administrator: ['read_settings', 'administer', 'read_deployment', 'administer_deployment'],
}

export const SEAT_ROLES = ['client_viewer', 'client_admin'] as const

/** The permissions of the roles of vaults' own users, as docs/access.md states them. */
export const SEAT_PERMITTED: Readonly<Record<(typeof SEAT_ROLES)[number], readonly string[]>> = {
  client_viewer: ['read_own'],
  client_admin: ['read_own', 'manage_own'],
}

/** Permissions for the deployment require a role in all vaults. */
export const isOfDeployment = (permission: string): boolean => permission.endsWith('_deployment')
