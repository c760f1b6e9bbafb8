/** Stores the last filter of the queue, the step after a decision, and a one-time notice in cookies. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { type QueueQuery, queueQueryText } from '../../contracts/queue.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { findTitle } from '../../use-cases/review/queue.ts'
import { inShort } from '../components/values.tsx'
import { setCookie } from '../routing/cookie.ts'
import type { TextName } from '../texts/index.ts'
import { readQueueQuery } from './queue-query.ts'
import { SETTINGS_SECTIONS, type SettingsSection } from './settings/sections.ts'
import type { ConsoleVisit } from './visit.ts'

const COOKIE = 'gatehouse_queue'
const NOTICE = 'gatehouse_notice'
const OPENS_NEXT = 'gatehouse_next'
/** The notices. Those about a case end with its name, and `saved` names the section of the settings. */
const NOTICES = {
  decided: 'console.decided',
  proposed: 'console.proposed',
  sentBack: 'console.sentBack',
  withdrawn: 'console.withdrawn',
  noted: 'console.noted',
  assigned: 'console.assigned',
  unassigned: 'console.released',
  placed: 'console.placed',
  lifted: 'console.lifted',
  resent: 'console.resent',
  resendStarted: 'console.resendStarted',
  resendStopped: 'console.resendStopped',
  none: 'console.next.none',
  profileChanged: 'console.profile.changed',
  saved: 'settings.saved',
  profileSaved: 'settings.profile.saved',
  profilePublished: 'settings.profile.publishedNow',
  others: 'console.pick.others',
} as const
type SavedSection = SettingsSection | 'members'
const sectionName = (section: SavedSection): TextName =>
  section === 'members' ? 'console.client.members' : SETTINGS_SECTIONS[section].name
export const isSavedSection = (name: string | undefined): name is SavedSection =>
  name === 'members' || Object.hasOwn(SETTINGS_SECTIONS, name ?? '')

export type Notice = keyof typeof NOTICES

export const rememberedQuery = (req: Request): QueueQuery =>
  readQueueQuery(Object.fromEntries(new URLSearchParams(parseCookie(req.headers.cookie ?? '')[COOKIE] ?? '')))

/** Stores the filter until the browser closes. */
export const rememberQuery = (deps: RouteDeps, res: Response, asked: QueueQuery): void =>
  setCookie(deps, res, { name: COOKIE, value: queueQueryText(asked), path: '/console' })

/** Stores whether the next case opens after the operator makes a decision. */
export const rememberOpensNext = (deps: RouteDeps, res: Response, opensNext: boolean): void =>
  setCookie(deps, res, { name: OPENS_NEXT, value: opensNext ? 'yes' : '', path: '/console' })

export const opensNextCase = (req: Request): boolean =>
  parseCookie(req.headers.cookie ?? '')[OPENS_NEXT] === 'yes'

/** Stores a notice that the next page of the queue or of a case shows once. */
export const setFlash = (res: Response, notice: Notice, about?: Pick<EntityRef, 'id'>): void =>
  setNotice(res, [notice, about?.id].filter(Boolean).join(' '), 60)

/** Stores the notice that a section of the settings has changed, unless the request has stored another notice. */
export function setSaved(res: Response, section: SavedSection): void {
  const isTold = [res.getHeader('Set-Cookie') ?? []].flat().some((each) => String(each).startsWith(NOTICE))
  if (!isTold) setFlash(res, 'saved', { id: section })
}

/** Returns the text of the notice, with the name of its case, and removes the notice. */
export async function takeFlash(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<string | undefined> {
  const stored = parseCookie(req.headers.cookie ?? '')[NOTICE]
  if (stored === undefined) return undefined
  setNotice(res, '', 0)
  const [said = '', id] = stored.split(' ')
  if (!Object.hasOwn(NOTICES, said)) return undefined
  const { t } = visit.frame
  if (said === 'saved')
    return isSavedSection(id) ? t('settings.saved', { setting: t(sectionName(id)) }) : undefined
  const text = t(NOTICES[said as Exclude<Notice, 'saved'>])
  const title = isUuid(id) ? await findTitle(deps, visit, id as string) : null
  return title ? `${text}: ${inShort(title)}` : text
}

function setNotice(res: Response, value: string, maxAge: number): void {
  const cookie = { name: NOTICE, value, maxAge, path: '/console', httpOnly: true }
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }))
}
