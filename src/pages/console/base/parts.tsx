/** Component: the parts of settings pages: lists, forms, confirmations and secrets. */
import type { ComponentChildren } from 'preact'
import { v7 as newId } from 'uuid'
import { hasPermission } from '../../../domain/access/grant.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import type { IconName } from '../../components/icon.tsx'
import type { TextName, Translate } from '../../texts/index.ts'
import { BEGAN, plain } from '../../values/form-values.ts'
import type { FormAsk, PageContent } from './ask.ts'
import { type FormState, idIn, labelOf } from './form.ts'
import { PageLinks } from './page-links.tsx'

export const PER_PAGE = 50

/** A column of a list. Its key is also the name of its heading, unless `head` names another text. */
type ListColumn<T> = Omit<Column<T>, 'head'> & { readonly head?: TextName }

interface ListProps<T> {
  readonly ask: Pick<FormAsk, 'frame' | 't' | 'page'>
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly columns: readonly ListColumn<T>[]
  /** The text of an empty list. */
  readonly none?: TextName
  /** The icon of an empty list. */
  readonly icon?: IconName
  /** The button of an empty list. */
  readonly action?: ComponentChildren
  readonly isLinked?: boolean
  readonly class?: string
  /** The number of rows on all pages, if the list has several pages. */
  readonly totalCount?: number
  /** Returns the address of another page of the list. */
  readonly hrefOf?: (page: number) => string
}

export function List<T>(props: ListProps<T>) {
  const { ask, columns, none, icon = 'inbox', action, totalCount, hrefOf, ...table } = props
  const { frame, t, page } = ask
  return (
    <>
      {table.rows.length === 0 && none ? (
        <EmptyState icon={icon} text={t(none)}>
          {action}
        </EmptyState>
      ) : (
        <DataTable {...table} columns={columns.map((each) => withHead(t, each))} />
      )}
      {totalCount === undefined ? null : (
        <PageLinks
          frame={frame}
          page={page}
          hasMore={page * PER_PAGE < totalCount}
          hrefOf={hrefOf ?? ((to) => `${frame.path}?page=${to}`)}
        />
      )}
    </>
  )
}

const withHead = <T,>(t: Translate, { head, ...column }: ListColumn<T>): Column<T> => ({
  ...column,
  head: head ? t(head) : labelOf(t, column.key),
})

/** Renders the link that covers a row of a list. */
export const RowLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="row-link" href={href}>
    {children}
  </a>
)

interface CaseLinkProps {
  readonly ask: Pick<FormAsk, 'visit'>
  readonly entity: Entity
  readonly id: string
  /** The vault of the case, or null if it is not known. */
  readonly vaultId: string | null
  readonly children: ComponentChildren
}

/** Links to a case if the operator can read it. Administrators see only its name. */
export const CaseLink = ({ ask, entity, id, vaultId, children }: CaseLinkProps) =>
  hasPermission(ask.visit, 'read_cases', vaultId ?? undefined) ? (
    <a href={consolePath(entity, id)}>{children}</a>
  ) : (
    children
  )

interface SettingsFormProps {
  readonly ask: FormAsk
  readonly action: string
  /** The address of the link that discards the entered values. */
  readonly back: string
  /** The stored values, keyed by input name, so that only changed fields are saved. */
  readonly values?: Readonly<Record<string, unknown>>
  /** True if the form creates an object. */
  readonly isNew?: boolean
  /** Identifies the created object, so that a form that is sent twice creates one object. */
  readonly isSentOnce?: boolean
  /** The label of the main button. */
  readonly press?: string | undefined
  /** False if the operator cannot save the form. The inputs are disabled then. */
  readonly maySave?: boolean
  /** More buttons. */
  readonly buttons?: ComponentChildren
  /** Attributes of a form with a file. */
  readonly attributes?: { readonly encType: 'multipart/form-data'; readonly 'data-branding'?: true }
  readonly children: ComponentChildren
}

export function SettingsForm(props: SettingsFormProps) {
  const { ask, action, values = {}, isNew = false, isSentOnce, maySave = true, attributes, children } = props
  if (!maySave)
    return (
      <fieldset class="settings-form" disabled>
        <p class="quiet">{ask.t('settings.readOnly')}</p>
        {children}
      </fieldset>
    )
  return (
    <PostForm
      visit={ask.visit}
      action={action}
      class="settings-form"
      {...(!isNew && { 'data-changes': true })}
      {...attributes}
    >
      <InitialValues again={ask.again} values={values} />
      {isSentOnce ? <NewId again={ask.again} /> : null}
      {children}
      <FormFoot {...props} isNew={isNew} />
    </PostForm>
  )
}

interface InitialValuesProps {
  readonly again: FormState
  readonly values: Readonly<Record<string, unknown>>
}

/** Renders the stored values, so that only changed fields are saved. */
export const InitialValues = ({ again, values }: InitialValuesProps) => (
  <>
    {Object.entries(values).map(([name, value]) => (
      <input
        key={name}
        type="hidden"
        name={BEGAN + name}
        value={again.typed?.[BEGAN + name]?.toString() ?? plain(value)}
      />
    ))}
  </>
)

/** Renders the ID of the form, or of the object that it creates. */
export const NewId = ({ again: { typed } }: Pick<FormAsk, 'again'>) => (
  <input type="hidden" name="id" value={idIn(typed ?? undefined) ?? newId()} />
)

/** Renders the buttons of a form, which stay visible. A script adds the number of unsaved changes. */
const FormFoot = ({ ask: { t }, press, back, isNew, buttons }: SettingsFormProps) => (
  <div class="settings-foot">
    <Button>{press ?? t('settings.save')}</Button>
    {buttons}
    <ButtonLink kind="quiet" href={back}>
      {t(isNew ? 'settings.cancel' : 'settings.discard')}
    </ButtonLink>
    {isNew ? null : (
      <span
        class="quiet"
        role="status"
        data-one={t('settings.unsaved.one')}
        data-many={t('settings.unsaved.many', { count: '{count}' })}
      />
    )}
  </div>
)

interface ConfirmationText {
  readonly title: string
  readonly text: TextName
  readonly action: string
  /** The values of the form, keyed by input name. */
  readonly values?: Readonly<Record<string, string>>
  /** The label of the button. */
  readonly press: TextName
  readonly back: string
}

/** Returns a page that asks for confirmation before an action that takes effect immediately. The title names the object. */
export const confirmationPage = (
  { visit, t, again }: Pick<FormAsk, 'visit' | 't' | 'again'>,
  { title, text, action, values = {}, press, back }: ConfirmationText,
): PageContent => ({
  title,
  children: (
    <PostForm visit={visit} action={action} class="card settings-card">
      <NewId again={again} />
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <p>{t(text)}</p>
      <div class="actions">
        <Button kind="danger">{t(press)}</Button>
        <ButtonLink kind="secondary" href={back}>
          {t('settings.cancel')}
        </ButtonLink>
      </div>
    </PostForm>
  ),
})

interface SecretText {
  readonly title: string
  readonly id?: 'secret' | 'link'
  readonly label: TextName
  readonly text: TextName
  readonly secret: string
  /** The label of the button, which says that the reader has the secret. */
  readonly done: TextName
  readonly next: string
  readonly children?: ComponentChildren
}

/** Returns a page with a secret or a link, which no later page shows again. */
export const secretPage = (
  { t, frame }: Pick<FormAsk, 't' | 'frame'>,
  { title, id = 'secret', label, text, secret, done, next, children }: SecretText,
): PageContent => ({
  title,
  children: (
    <div class="card settings-card">
      <CopyField frame={frame} id={id} label={t(label)} hint={t(text)} value={secret} />
      {children}
      <div class="actions">
        <ButtonLink href={next}>{t(done)}</ButtonLink>
      </div>
    </div>
  ),
})
