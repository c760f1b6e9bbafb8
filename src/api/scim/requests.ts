/** Reads the filters, resources and patches of SCIM 2.0 requests (RFC 7644). */
import { isPlainText } from '../../contracts/common.ts'
import type { GroupChanges, NewGroup, OperatorChanges, Slice } from '../../use-cases/access/provisioning.ts'
import { ScimRefused } from './errors.ts'
import { MAX_RESULTS, textOf } from './resources.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Reads a filter. Supports only comparisons of one attribute with a text, because directories send no other filters.
 */
export function readFilter(filter: unknown, names: readonly string[]) {
  if (filter === undefined) return null
  const [, path = '', quoted = ''] =
    /^\s*([\w.:]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(textOf(filter)) ?? []
  const name = names.find((each) => each.toLowerCase() === attributeOf(path))
  const value = textIn(quoted)
  if (name === undefined || value === null || !isPlainText(value)) {
    const supported = names.map((each) => `${each} eq "…"`).join(', ')
    throw new ScimRefused('invalidFilter', `This filter is not supported. Use one of: ${supported}.`)
  }
  return { name, value }
}

/** Returns the text in quotes, or null if it has an escape or a character that JSON does not allow. */
function textIn(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return null
  }
}

/** Returns the name of an attribute in lower case, without the prefix of its schema. */
const attributeOf = (path: string): string => path.replace(/^urn:.*:/i, '').toLowerCase()

export function readSlice({ startIndex, count }: Values): Slice & { readonly startIndex: number } {
  const start = Math.min(Math.max(1, wholeNumber(startIndex, 1)), 1_000_000_000)
  return {
    startIndex: start,
    offset: start - 1,
    limit: Math.min(Math.max(0, wholeNumber(count, MAX_RESULTS)), MAX_RESULTS),
  }
}

function wholeNumber(text: unknown, preset: number): number {
  if (text === undefined) return preset
  if (!/^-?\d{1,10}$/.test(textOf(text)))
    throw new ScimRefused('invalidValue', 'startIndex and count must be whole numbers.')
  return Number(text)
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function requireValues(body: unknown): Values {
  if (!isValues(body)) throw new ScimRefused('invalidSyntax', 'The body must be a JSON object.')
  return body
}

/** Returns the value of an attribute. Ignores case, because attribute names are not case-sensitive. */
const findValue = (values: Values, name: string): unknown =>
  Object.entries(values).find(([each]) => attributeOf(each) === name.toLowerCase())?.[1]

const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@]{1,64}@[^\s\p{Cc}\p{Cf}\p{Cs}@]{1,255}$/u

function readEmail(value: unknown): string {
  if (typeof value !== 'string' || !EMAIL.test(value))
    throw new ScimRefused('invalidValue', 'userName must be an email address.')
  return value
}

const MAX_TEXT = 255

function readText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT || !isPlainText(value))
    throw new ScimRefused('invalidValue', `${name} must be a text of 1 to ${MAX_TEXT} plain characters.`)
  return value
}

const readExternalId = (value: unknown): string | null =>
  (value ?? null) === null ? null : readText('externalId', value)

/** Reads a boolean. Some directories send booleans as text. */
function readBoolean(name: string, value: unknown): boolean {
  const text = textOf(value).toLowerCase()
  if (text !== 'true' && text !== 'false')
    throw new ScimRefused('invalidValue', `${name} must be true or false.`)
  return text === 'true'
}

/** Reads the attributes that Gatehouse stores. Ignores other attributes, because directories send all their data. */
function userChangesOf(values: Values): OperatorChanges {
  const [userName, externalId, active] = ['userName', 'externalId', 'active'].map((name) =>
    findValue(values, name),
  )
  return {
    ...(userName !== undefined && { email: readEmail(userName) }),
    ...(externalId !== undefined && { externalId: readExternalId(externalId) }),
    ...(active !== undefined && { isActive: readBoolean('active', active) }),
  }
}

/** Reads a complete user. Missing attributes get their default values. */
export function readUser(body: unknown): OperatorChanges & { readonly email: string } {
  const values = requireValues(body)
  return {
    externalId: null,
    isActive: true,
    ...userChangesOf(values),
    email: readEmail(findValue(values, 'userName')),
  }
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  /** The path, or an empty text if the value contains the attributes. */
  readonly path: string
  readonly value: unknown
}

const MAX_OPERATIONS = 1_000

function readOperations(body: unknown): Operation[] {
  const operations = findValue(requireValues(body), 'Operations')
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS)
    throw new ScimRefused('invalidSyntax', `Send 1 to ${MAX_OPERATIONS} Operations.`)
  return operations.map((each: unknown) => {
    const values = requireValues(each)
    const op = textOf(findValue(values, 'op')).toLowerCase()
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw new ScimRefused('invalidSyntax', 'op must be add, replace or remove.')
    const path = textOf(findValue(values, 'path') ?? '')
    const value = findValue(values, 'value')
    if (op === 'remove' && path === '') throw new ScimRefused('invalidPath', 'remove requires a path.', 400)
    if (op !== 'remove' && path === '' && !isValues(value))
      throw new ScimRefused('invalidValue', 'An operation without a path requires an object as its value.')
    return { op, path, value }
  })
}

const READ_ONLY = ['id', 'meta', 'groups', 'schemas']

export const readUserPatch = (body: unknown): OperatorChanges =>
  Object.assign({}, ...readOperations(body).map(changesOfOperation))

function changesOfOperation({ op, path, value }: Operation): OperatorChanges {
  const name = attributeOf(path)
  if (READ_ONLY.includes(name)) throw new ScimRefused('mutability', `${path} is read-only.`)
  if (op !== 'remove') return userChangesOf(path === '' ? (value as Values) : { [name]: value })
  if (name === 'username') throw new ScimRefused('mutability', 'userName is required.')
  return name === 'externalid' ? { externalId: null } : {}
}

export function readGroup(body: unknown): NewGroup {
  const values = requireValues(body)
  return {
    name: readText('displayName', findValue(values, 'displayName')),
    externalId: readExternalId(findValue(values, 'externalId')),
    members: readMembers(findValue(values, 'members') ?? []),
  }
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const readMembers = (value: unknown): string[] =>
  [value].flat().map((member: unknown) => {
    const id = isValues(member) ? findValue(member, 'value') : member
    if (typeof id !== 'string' || !ID.test(id))
      throw new ScimRefused('invalidValue', 'Each entry of members must have the ID of a user as its value.')
    return id.toLowerCase()
  })

export function readGroupPatch(body: unknown): GroupChanges {
  const operations = readOperations(body).flatMap(({ op, path, value }): Operation[] =>
    path === ''
      ? Object.entries(value as Values).map(([name, each]) => ({ op, path: name, value: each }))
      : [{ op, path, value }],
  )
  let name: string | undefined
  let externalId: string | null | undefined
  const steps: ((members: readonly string[]) => readonly string[])[] = []
  for (const { op, path, value } of operations) {
    const [, selected] = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i.exec(path) ?? []
    if (selected !== undefined && op === 'remove') steps.push(without([selected.toLowerCase()]))
    else if (attributeOf(path) === 'displayname' && op !== 'remove') name = readText('displayName', value)
    else if (attributeOf(path) === 'members') steps.push(stepOf(op, value))
    else if (READ_ONLY.includes(attributeOf(path)))
      throw new ScimRefused('mutability', `${path} is read-only.`)
    else if (attributeOf(path) === 'externalid') externalId = op === 'remove' ? null : readExternalId(value)
    else throw new ScimRefused('invalidPath', 'Use the path displayName or members.')
  }
  return { name, externalId, members: (before) => steps.reduce((members, step) => step(members), before) }
}

function without(ids: readonly string[]) {
  const gone = new Set(ids)
  return (members: readonly string[]) => members.filter((each) => !gone.has(each))
}

function stepOf(op: Operation['op'], value: unknown): (members: readonly string[]) => readonly string[] {
  if (op === 'remove') return value === undefined ? () => [] : without(readMembers(value))
  const ids = readMembers(value ?? [])
  return op === 'replace' ? () => ids : (members) => [...members, ...ids]
}
