/** Handles the forms of the queue, which assign cases and save or delete filters. */
import type { Request } from 'express'
import { validate as isUuid } from 'uuid'
import { text } from '../../../contracts/common.ts'
import { queueFilterOf, queueQueryText } from '../../../contracts/queue.ts'
import { filterName } from '../../../contracts/queue-filter.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import { deleteSavedFilter, saveFilter } from '../../../use-cases/access/saved-filters.ts'
import { assignNext, assignSeveral } from '../../../use-cases/review/queue.ts'
import { collectProblems } from '../../routing/refusals.ts'
import type { Sent } from '../../values/form-values.ts'
import { flashAt, rememberedQuery, setFlash, suggestOpensNext } from '../base/flash.ts'
import { pageOf } from '../base/page-links.tsx'
import type { ConsoleRequest } from '../base/visit.ts'
import { showQueue } from './queue.tsx'
import { hrefOf, queryOfText } from './queue-filters.tsx'

type Action = (request: ConsoleRequest) => Promise<void>

const sentTexts = (req: Request, name: string): string[] =>
  [(req.body as Sent | undefined)?.[name] ?? []].flat().map((text) => text.trim())

/** Assigns the unassigned case that has waited longest and matches the filter, and opens it. */
export const assignNextFromForm: Action = async (request) => {
  const { deps, visit, req, res } = request
  const filter = queueFilterOf(rememberedQuery(req), visit, 'decide')
  const taken = await assignNext(deps, filter, visit.actor)
  if (taken === null) setFlash(deps, res, 'none')
  else suggestOpensNext(deps, res)
  res.redirect(303, taken === null ? '/console' : consolePath(taken.entity, taken.id))
}

/** Assigns the selected cases, except those that are assigned to other operators. */
export const assignSeveralFromForm: Action = async (request) => {
  const { deps, visit, req, res } = request
  const named = sentTexts(req, 'entity')
    .slice(0, 100)
    .flatMap((text) => {
      const [kind, id = ''] = text.split(':')
      const entity = ENTITY_KINDS.find((each) => each === kind)
      return entity && isUuid(id) ? [{ entity, id }] : []
    })
  const { isAnyLeft } = await assignSeveral(deps, named, visit)
  if (isAnyLeft) setFlash(deps, res, 'others')
  else if (named.length > 0) setFlash(deps, res, 'assigned')
  res.redirect(303, hrefOf(rememberedQuery(req), pageOf(sentTexts(req, 'page')[0])))
}

export const keepFilter: Action = async (request) => {
  const { deps, visit, req, res } = request
  const name = filterName.safeParse(sentTexts(req, 'name')[0])
  if (!name.success) return showQueue(request, 'console.filter.nameless')
  const query = queueQueryText(queryOfText(sentTexts(req, 'query')[0] ?? ''))
  const problems = await collectProblems(() => saveFilter(deps, visit.userId, { name: name.data, query }))
  if (problems.length > 0) return showQueue(request, 'console.filter.tooMany')
  res.redirect(303, flashAt(deps, res, `/console?${query}`, 'filterSaved', name.data))
}

export const dropFilter: Action = async ({ deps, visit, req, res }) => {
  const name = text(60).safeParse(sentTexts(req, 'name')[0])
  const path = hrefOf(queryOfText(''))
  if (!name.success) return res.redirect(303, path)
  await deleteSavedFilter(deps, visit.userId, name.data)
  res.redirect(303, flashAt(deps, res, path, 'filterDeleted', name.data))
}
