/** Presents the resources of SCIM 2.0 and their schemas (RFC 7643). */
import type { ProvisionedGroup, ProvisionedOperator } from '../../use-cases/access/provisioning.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

export const MAX_RESULTS = 200

export const presentUser = (base: string, user: ProvisionedOperator) => ({
  schemas: [`${CORE}:User`],
  id: user.id,
  ...(user.externalId !== null && { externalId: user.externalId }),
  userName: user.email,
  active: user.isActive,
  ...(user.groups.length > 0 && {
    groups: user.groups.map(({ id, name }) => ({ value: id, display: name, $ref: `${base}/Groups/${id}` })),
  }),
  meta: metaOf('User', `${base}/Users/${user.id}`, user),
})

export const presentGroup = (base: string, group: ProvisionedGroup) => ({
  schemas: [`${CORE}:Group`],
  id: group.id,
  ...(group.externalId !== null && { externalId: group.externalId }),
  displayName: group.name,
  ...(group.members.length > 0 && {
    members: group.members.map((id) => ({ value: id, $ref: `${base}/Users/${id}` })),
  }),
  meta: metaOf('Group', `${base}/Groups/${group.id}`, group),
})

const metaOf = (
  resourceType: string,
  location: string,
  { createdAt, updatedAt }: { readonly createdAt: Date; readonly updatedAt: Date },
) => ({ resourceType, created: createdAt.toISOString(), lastModified: updatedAt.toISOString(), location })

export const listOf = (resources: readonly object[], totalResults = resources.length, startIndex = 1) => ({
  schemas: [`${MESSAGES}:ListResponse`],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})

interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference'
  readonly description: string
  readonly required?: boolean
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable'
  readonly uniqueness?: 'none' | 'server'
  readonly caseExact?: boolean
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

const attribute = ({ subAttributes, ...own }: Attribute): object => ({
  multiValued: subAttributes !== undefined,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...own,
  ...(subAttributes && { subAttributes: subAttributes.map(attribute) }),
})

const references = (type: string, mutability: 'readOnly' | 'immutable'): readonly Attribute[] => [
  { name: 'value', type: 'string', description: `The ID of the ${type}.`, mutability, caseExact: true },
  {
    name: '$ref',
    type: 'reference',
    description: `The URI of the ${type}.`,
    mutability,
    referenceTypes: [type],
  },
]

const SCHEMAS: readonly { name: string; description: string; attributes: readonly Attribute[] }[] = [
  {
    name: 'User',
    description: 'An operator.',
    attributes: [
      {
        name: 'userName',
        type: 'string',
        description: 'The email address.',
        required: true,
        uniqueness: 'server',
      },
      { name: 'active', type: 'boolean', description: 'Whether the operator has access.', required: true },
      {
        name: 'groups',
        type: 'complex',
        description: 'The groups of the operator.',
        mutability: 'readOnly',
        subAttributes: [
          ...references('Group', 'readOnly'),
          { name: 'display', type: 'string', description: 'The name of the Group.', mutability: 'readOnly' },
        ],
      },
    ],
  },
  {
    name: 'Group',
    description: 'A group. An administrator maps its name to roles.',
    attributes: [
      {
        name: 'displayName',
        type: 'string',
        description: 'The name of the group in the claims of the provider.',
        required: true,
        uniqueness: 'server',
        caseExact: true,
      },
      {
        name: 'members',
        type: 'complex',
        description: 'The operators in the group.',
        subAttributes: references('User', 'immutable'),
      },
    ],
  },
]

export const schemas = (base: string) =>
  SCHEMAS.map(({ name, description, attributes }) => ({
    schemas: [`${CORE}:Schema`],
    id: `${CORE}:${name}`,
    name,
    description,
    attributes: attributes.map(attribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${CORE}:${name}` },
  }))

export const resourceTypes = (base: string) =>
  SCHEMAS.map(({ name, description }) => ({
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    description,
    endpoint: `/${name}s`,
    schema: `${CORE}:${name}`,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))

export const serviceProviderConfig = (base: string) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The value of SCIM_TOKEN.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

/** Returns a value as text. An object is no text, and may not be convertible. */
export const textOf = (value: unknown): string => (typeof value === 'object' ? '' : String(value))

/** Applies `attributes` and `excludedAttributes`. Always keeps `schemas` and `id`. */
export function project(
  resource: object,
  { attributes, excludedAttributes }: Record<string, unknown>,
): object {
  const namesIn = (text: unknown) =>
    [text]
      .flat()
      .map(textOf)
      .join()
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^urn:.*:/i, '')
          .split('.')[0]
          ?.toLowerCase(),
      )
  const isShown = (name: string): boolean => {
    if (['schemas', 'id'].includes(name)) return true
    if (attributes !== undefined) return namesIn(attributes).includes(name.toLowerCase())
    return excludedAttributes === undefined || !namesIn(excludedAttributes).includes(name.toLowerCase())
  }
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)))
}
