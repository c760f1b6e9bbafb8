/** Defines the requests and the content of pages with forms, for operators and for vaults' own users. */
import type { ComponentChildren } from 'preact'
import type { By } from '../../../domain/access/audit.ts'
import type { Frame } from '../../components/layout.tsx'
import type { TextName, Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { type FormState, NEW_FORM } from './form.ts'
import { pageOf } from './page-links.tsx'
import type { ConsoleRequest } from './visit.ts'

export interface FormAsk extends ConsoleRequest {
  readonly frame: Frame
  readonly t: Translate
  readonly by: By
  readonly page: number
  /** The form, which is empty in a GET request. */
  readonly sent: Sent
  /** The problems and typed values of a refused form. */
  readonly again: FormState
}

export const formAskOf = (request: ConsoleRequest, by: By): FormAsk => ({
  ...request,
  frame: request.visit.frame,
  t: request.visit.frame.t,
  by,
  page: pageOf(request.req.query.page),
  sent: (request.req.body ?? {}) as Sent,
  again: NEW_FORM,
})

export interface UpLink {
  readonly href: string
  readonly name: TextName
}

export interface PageContent {
  readonly title: string
  readonly count?: ComponentChildren
  /** The page of the list that contains the object of this page. */
  readonly up?: UpLink
  readonly lead?: ComponentChildren
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}
