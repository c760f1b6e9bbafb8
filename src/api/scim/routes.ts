/** Routes for SCIM 2.0 below `/scim/v2`, with which the OpenID provider's directory manages operators. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler, Response, Router } from 'express'
import { validate as isUuid } from 'uuid'
import type { By } from '../../domain/access/audit.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { createRouter, refuseMethod } from '../../http/router.ts'
import {
  changeProvisionedGroup,
  changeProvisionedOperator,
  createProvisionedGroup,
  createProvisionedOperator,
  type GroupChanges,
  getProvisionedGroup,
  getProvisionedOperator,
  listProvisionedGroups,
  listProvisionedOperators,
  type OperatorChanges,
  removeProvisionedGroup,
  removeProvisionedOperator,
} from '../../use-cases/access/provisioning.ts'
import { readScimJson } from '../json/body.ts'
import { ScimRefused, scimError, scimErrors } from './errors.ts'
import { readFilter, readGroup, readGroupPatch, readSlice, readUser, readUserPatch } from './requests.ts'
import {
  listOf,
  presentGroup,
  presentUser,
  project,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from './resources.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const byDirectory = (req: Request): By => byOf({ actor: 'scim' }, req)

/** Returns the ID in lower case. Throws `not_found` if it is not a UUID. */
function idOf({ params }: Request): string {
  const id = String(params.id).toLowerCase()
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return id
}

type Values = Readonly<Record<string, unknown>>

/** A type of resource that the directory reads and changes. */
interface Resources {
  readonly list: (query: Values) => Promise<{ resources: object[]; totalCount: number; startIndex: number }>
  readonly get: (id: string) => Promise<Resource>
  readonly create: (by: By, body: unknown) => Promise<Resource>
  readonly replace: (by: By, id: string, body: unknown) => Promise<Resource>
  readonly patch: (by: By, id: string, body: unknown) => Promise<Resource>
  readonly remove: (by: By, id: string) => Promise<void>
}

interface Resource {
  readonly meta: { readonly location: string }
}

const usersOf = (deps: RouteDeps, base: string): Resources => {
  const change = async (by: By, id: string, changes: OperatorChanges) =>
    presentUser(base, await changeProvisionedOperator(deps, by, id, changes))
  return {
    async list(query) {
      const filter = readFilter(query.filter, ['userName', 'externalId', 'id'])
      const { startIndex, ...slice } = readSlice(query)
      const { entries, totalCount } = await listProvisionedOperators(deps, userFilterOf(filter), slice)
      return { resources: entries.map((user) => presentUser(base, user)), totalCount, startIndex }
    },
    get: async (id) => presentUser(base, await getProvisionedOperator(deps, id)),
    create: async (by, body) => presentUser(base, await createProvisionedOperator(deps, by, readUser(body))),
    replace: (by, id, body) => change(by, id, readUser(body)),
    patch: (by, id, body) => change(by, id, readUserPatch(body)),
    remove: (by, id) => removeProvisionedOperator(deps, by, id),
  }
}

const groupsOf = (deps: RouteDeps, base: string): Resources => {
  const change = async (by: By, id: string, changes: GroupChanges) =>
    presentGroup(base, await changeProvisionedGroup(deps, by, id, changes))
  return {
    async list(query) {
      const names = ['displayName', 'externalId', 'id', 'members.value', 'members']
      const filter = readFilter(query.filter, names)
      const { startIndex, ...slice } = readSlice(query)
      const { entries, totalCount } = await listProvisionedGroups(deps, groupFilterOf(filter), slice)
      return { resources: entries.map((group) => presentGroup(base, group)), totalCount, startIndex }
    },
    get: async (id) => presentGroup(base, await getProvisionedGroup(deps, id)),
    create: async (by, body) => presentGroup(base, await createProvisionedGroup(deps, by, readGroup(body))),
    replace(by, id, body) {
      const { members, ...group } = readGroup(body)
      return change(by, id, { ...group, members: () => members })
    },
    patch: (by, id, body) => change(by, id, readGroupPatch(body)),
    remove: (by, id) => removeProvisionedGroup(deps, by, id),
  }
}

export function scimRoutes(deps: RouteDeps, token: string): Router {
  const router = createRouter()
  const base = `${deps.config.PUBLIC_URL}/scim/v2`
  router.use(asScim, admit(deps, digest(token)), ...readScimJson)

  for (const [path, found] of [
    ['/Schemas', schemas(base)],
    ['/ResourceTypes', resourceTypes(base)],
  ] as const) {
    router.get(path, (_req, res) => void res.json(listOf(found)))
    router.get(`${path}/:id`, (req, res) => {
      const resource = requireFound(found.find(({ id }) => id === req.params.id))
      res.json(resource)
    })
  }
  router.get('/ServiceProviderConfig', (_req, res) => void res.json(serviceProviderConfig(base)))

  const [users, groups] = [usersOf(deps, base), groupsOf(deps, base)]
  mountResources(router, '/Users', users)
  mountResources(router, '/Groups', groups)
  router.post('/.search', (req, res) => sendList(res, listBoth(users, groups), (req.body ?? {}) as Values))
  for (const { route } of router.stack) route?.all(refuseMethod(route))
  router.use(() => {
    throw new RequestRefused({ code: 'not_found' })
  })
  router.use(scimErrors(deps.log))
  return router
}

/** Lists the users, then the groups. If a type lacks the attribute of the filter, lists none of its resources. */
const listBoth =
  (users: Resources, groups: Resources): Resources['list'] =>
  async (query) => {
    const { startIndex, limit } = readSlice(query)
    const first = await listOrNone(users, query)
    const left = limit - first.resources.length
    const rest = { ...query, startIndex: Math.max(1, startIndex - first.totalCount), count: left }
    const second = await listOrNone(groups, rest)
    return {
      resources: [...first.resources, ...second.resources],
      totalCount: first.totalCount + second.totalCount,
      startIndex,
    }
  }

const listOrNone = ({ list }: Resources, query: Values) =>
  list(query).catch((error: unknown) => {
    if (!(error instanceof ScimRefused && error.scimType === 'invalidFilter')) throw error
    return { resources: [], totalCount: 0 }
  })

async function sendList(res: Response, list: Resources['list'], query: Values): Promise<void> {
  const { resources, totalCount, startIndex } = await list(query)
  const shown = resources.map((resource) => project(resource, query))
  res.json(listOf(shown, totalCount, startIndex))
}

function mountResources(router: Router, path: string, resources: Resources): void {
  const send = (req: Request, res: Response, resource: Resource, status = 200): void =>
    void res.status(status).json(project(resource, req.query))
  router
    .route(path)
    .get((req, res) => sendList(res, resources.list, req.query))
    .post(async (req, res) => {
      const resource = await resources.create(byDirectory(req), req.body)
      res.setHeader('Location', resource.meta.location)
      send(req, res, resource, 201)
    })
  router.post(`${path}/.search`, (req, res) => sendList(res, resources.list, (req.body ?? {}) as Values))
  router
    .route(`${path}/:id`)
    .get(async (req, res) => send(req, res, await resources.get(idOf(req))))
    .put(async (req, res) => send(req, res, await resources.replace(byDirectory(req), idOf(req), req.body)))
    .patch(async (req, res) => send(req, res, await resources.patch(byDirectory(req), idOf(req), req.body)))
    .delete(async (req, res) => {
      await resources.remove(byDirectory(req), idOf(req))
      res.status(204).end()
    })
}

const asScim: RequestHandler = (_req, res, next) => {
  res.type('application/scim+json')
  next()
}

/** Authenticates the directory. Requests without the token count against the limit of their address. */
const admit =
  (deps: RouteDeps, expected: Buffer): RequestHandler =>
  async (req, res, next) => {
    const refund = await deps.limit(null, req, res)
    const [, sent = ''] = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '') ?? []
    if (timingSafeEqual(digest(sent), expected)) {
      refund()
      next()
      return
    }
    res.setHeader('WWW-Authenticate', 'Bearer')
    res.status(401).json(scimError(401, 'Send the value of SCIM_TOKEN as a bearer token.'))
  }

type Filter = ReturnType<typeof readFilter>

/** An ID that matches no resource. It replaces IDs that are not UUIDs. */
const NO_ONE = '00000000-0000-0000-0000-000000000000'
const uuidOf = (value: string): string => (isUuid(value) ? value.toLowerCase() : NO_ONE)

function userFilterOf(filter: Filter) {
  if (!filter) return {}
  const { name, value } = filter
  if (name === 'userName') return { email: value }
  return name === 'id' ? { id: uuidOf(value) } : { externalId: value }
}

function groupFilterOf(filter: Filter) {
  if (!filter) return {}
  const { name, value } = filter
  if (name === 'displayName') return { name: value }
  if (name === 'externalId') return { externalId: value }
  return name === 'id' ? { id: uuidOf(value) } : { memberId: uuidOf(value) }
}
