/** What is done from the queue: the next case, several at once, and filters that are kept. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { requiredText, text } from '../../contracts/common.ts'
import { readQueue } from '../../db/cases/queue.ts'
import { consolePath, ENTITY_KINDS, type EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { deleteSavedFilter, saveFilter } from '../../use-cases/access/saved-filters.ts'
import { assign } from '../../use-cases/cases/assignment.ts'
import { ofAnyVault } from '../../use-cases/cases/entity-ref.ts'
import { queueFilterOf, queueQueryText } from '../../use-cases/cases/queue-filter.ts'
import type { Sent } from '../form-values.ts'
import { rememberedQuery, setFlash } from './flash.ts'
import { pageOf, showQueue } from './queue.tsx'
import { hrefOf, queryOfText } from './queue-filters.tsx'
import type { ConsoleVisit } from './visit.ts'

type Action = (deps: RouteDeps, visit: ConsoleVisit, req: Request, res: Response) => Promise<void>

const sentTexts = (req: Request, name: string): string[] =>
  [(req.body as Sent | undefined)?.[name] ?? []].flat().map((text) => text.trim())

/** As many as another operator may have taken since they were listed. */
const CANDIDATES = 10

/** Takes the longest waiting of the filter that nobody has, and opens it. */
export const takeNext: Action = async (deps, visit, req, res) => {
  const { db } = deps
  const { actor } = visit
  const asked = queueFilterOf({ ...rememberedQuery(req), assigned: 'nobody' }, actor)
  const filter = { ...asked, notDecidedBy: actor }
  for (;;) {
    const candidates = await readQueue(db, { limit: CANDIDATES }, filter)
    if (candidates.length === 0) {
      setFlash(res, 'none')
      return res.redirect(303, '/console')
    }
    for (const { kind, id, vault_id: vaultId } of candidates)
      if (await isTaken(deps, visit, { entity: kind, id, vaultId }))
        return res.redirect(303, consolePath(kind, id))
  }
}

/** Those that others have stay theirs. */
export const takeSeveral: Action = async (deps, visit, req, res) => {
  let isAnyLeft = false
  for (const text of sentTexts(req, 'entity').slice(0, 100)) {
    const [kind, id = ''] = text.split(':')
    const entity = ENTITY_KINDS.find((each) => each === kind)
    if (entity && isUuid(id) && !(await isTaken(deps, visit, await ofAnyVault(deps.db, entity, id))))
      isAnyLeft = true
  }
  if (isAnyLeft) setFlash(res, 'others')
  res.redirect(303, hrefOf(rememberedQuery(req), pageOf(sentTexts(req, 'page')[0])))
}

async function isTaken({ db }: RouteDeps, { actor }: ConsoleVisit, target: EntityRef): Promise<boolean> {
  try {
    await assign(db, target, actor, false)
    return true
  } catch (error) {
    if (error instanceof RequestRefused) return false
    throw error
  }
}

const filterName = requiredText(60)

export const keepFilter: Action = async (deps, visit, req, res) => {
  const name = filterName.safeParse(sentTexts(req, 'name')[0])
  if (!name.success) return showQueue(deps, visit, req, res, 'console.filter.nameless')
  const query = queueQueryText(queryOfText(sentTexts(req, 'query')[0] ?? ''))
  if (!(await saveFilter(deps, visit.userId, { name: name.data, query })))
    return showQueue(deps, visit, req, res, 'console.filter.tooMany')
  res.redirect(303, `/console?${query}`)
}

export const dropFilter: Action = async (deps, { userId }, req, res) => {
  const name = text(60).safeParse(sentTexts(req, 'name')[0])
  if (name.success) await deleteSavedFilter(deps, userId, name.data)
  res.redirect(303, hrefOf(queryOfText('')))
}
