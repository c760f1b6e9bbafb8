/** Defines the requests and responses of the pages of a webhook URL, for clients and for operators. */
import type { Caller } from '../../../use-cases/access/caller.ts'
import type { UrlUser } from '../../../use-cases/webhooks/urls.ts'
import type { FormAsk, PageContent } from '../base/ask.ts'

export interface UrlAsk extends FormAsk {
  readonly user: UrlUser
  readonly urlId: string
  /** The addresses of the list of URLs and of the URL's page. */
  readonly base: string
  readonly path: string
  readonly mayChange: boolean
  /** The client, who can change the topics. Null for operators and viewers. */
  readonly client: Caller | null
}

export type UrlReply = PageContent | string

export type UrlHandler = (ask: UrlAsk) => Promise<UrlReply>
