/** Defines the requests and responses of the pages of a webhook URL, for clients and for operators. */
import type { ComponentChildren } from 'preact'
import type { By } from '../../../domain/access/audit.ts'
import type { Caller } from '../../../use-cases/access/caller.ts'
import type { UrlUser } from '../../../use-cases/webhooks/urls.ts'
import type { Frame } from '../../components/layout.tsx'
import type { Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import type { FormState } from '../settings/form.ts'
import type { ConsoleRequest } from '../visit.ts'

export interface UrlAsk extends ConsoleRequest {
  readonly frame: Frame
  readonly t: Translate
  readonly by: By
  readonly page: number
  readonly sent: Sent
  readonly again: FormState
  readonly user: UrlUser
  readonly urlId: string
  /** The addresses of the list of URLs and of the URL's page. */
  readonly base: string
  readonly path: string
  readonly mayChange: boolean
  /** The client, who can change the topics. Null for operators and viewers. */
  readonly client: Caller | null
}

/** The content of a page, or the path to which the browser is redirected. */
export type UrlReply = UrlContent | string

export interface UrlContent {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

export type UrlHandler = (ask: UrlAsk) => Promise<UrlReply>
