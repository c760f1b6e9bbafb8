/** Page: a vault's comment templates, which administrators add, change and remove. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { commentTemplateForm } from '../../../contracts/comment-template.ts'
import { type CommentTemplate, MAX_COMMENT_TEMPLATES } from '../../../domain/access/comment-template.ts'
import { RequestRefused } from '../../../domain/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  addCommentTemplate,
  changeCommentTemplate,
  getCommentTemplate,
  removeCommentTemplate,
} from '../../../use-cases/access/comment-templates.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/effect.ts'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../form-values.ts'
import { sendPage } from '../../response.tsx'
import { LANGUAGES } from '../../texts/index.ts'
import { idIn } from '../case-form.ts'
import type { ConsoleVisit } from '../visit.ts'
import { type FormState, Input, Name, NEW_FORM, runForm, Select, TextArea, textOf } from './form.tsx'
import { BASE, ConfirmPage, Settings } from './shell.tsx'

const pathOf = (vaultId: string, id: string) => `${BASE}/vaults/${vaultId}/comment_templates/${id}`

interface TemplatesProps {
  readonly frame: Frame
  readonly vaultId: string
  readonly templates: readonly CommentTemplate[]
}

/** Lists the templates of a vault, each with a link to change it. */
export function CommentTemplates({ frame: { t }, vaultId, templates }: TemplatesProps) {
  return (
    <section class="card" aria-labelledby="templates-title">
      <h2 id="templates-title">{t('settings.templates')}</h2>
      <p class="hint">{t('settings.templates.hint')}</p>
      {templates.length === 0 ? (
        <p class="quiet">{t('settings.templates.none')}</p>
      ) : (
        <ul class="plain">
          {templates.map(({ id, language, title }) => (
            <li key={id}>
              <a href={pathOf(vaultId, id)}>{title}</a>{' '}
              <span class="quiet">{LANGUAGES[language]['language.name']}</span>
            </li>
          ))}
        </ul>
      )}
      {templates.length < MAX_COMMENT_TEMPLATES ? (
        <p>
          <a href={pathOf(vaultId, 'new')}>{t('settings.templates.add')}</a>
        </p>
      ) : null}
    </section>
  )
}

interface FormProps {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly vaultId: string
  readonly res: Response
}

/** `id` is null for a new template. */
export async function showTemplate(
  { deps, visit, vaultId, res }: FormProps,
  id: string | null,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const { name, languages, defaultLanguage } = await getVault(deps, vaultId)
  const template = id === null ? null : await getCommentTemplate(deps, vaultId, id)
  const about = { frame, again }
  const offered = new Set([...languages, ...(template ? [template.language] : [])])
  const title = t(template ? 'settings.templates.change' : 'settings.templates.add')
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="vaults" title={title} problems={again.problems}>
      <p>
        {t('settings.vault')}: <a href={`${BASE}/vaults/${vaultId}`}>{name}</a>
      </p>
      <PostForm visit={visit} action={pathOf(vaultId, id ?? 'new')}>
        {template ? null : <Name again={again} />}
        <Select
          {...about}
          name="template_language"
          options={[...offered].map((value) => ({ value, label: LANGUAGES[value]['language.name'] }))}
          chosen={[template?.language ?? defaultLanguage]}
        />
        <Input
          {...about}
          name="template_title"
          value={template?.title ?? null}
          hint={t('settings.template_title.hint')}
          required
        />
        <TextArea
          {...about}
          name="template_text"
          value={template?.text ?? null}
          hint={t('settings.template_text.hint')}
        />
        <button type="submit">{t(template ? 'settings.save' : 'settings.templates.add')}</button>
      </PostForm>
      {template ? (
        <p>
          <a href={`${pathOf(vaultId, template.id)}/remove`}>{t('settings.templates.remove')}</a>
        </p>
      ) : null}
    </Settings>,
  )
}

export async function saveTemplate(form: FormProps, id: string | null, req: Request): Promise<void> {
  const { deps, visit, vaultId, res } = form
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const content = parseOrRefuse(commentTemplateForm, {
      template_language: textOf(sent, 'template_language'),
      template_title: textOf(sent, 'template_title') ?? '',
      template_text: textOf(sent, 'template_text')?.replaceAll('\r\n', '\n') ?? '',
    })
    const by = byOf(visit, req)
    if (id === null) await addCommentTemplate(by, vaultId, content, formEffect(deps, idIn(sent) ?? undefined))
    else await changeCommentTemplate(deps, by, vaultId, { ...content, id })
    res.redirect(303, `${BASE}/vaults/${vaultId}#templates-title`)
  })
  if (refused) await showTemplate(form, id, refused)
}

export async function askToRemoveTemplate({ deps, visit, vaultId, res }: FormProps, id: string) {
  const { t } = visit.frame
  const { title } = await getCommentTemplate(deps, vaultId, id)
  sendPage(
    res,
    200,
    <ConfirmPage
      visit={visit}
      section="vaults"
      title={t('settings.templates.remove.title', { title })}
      text={t('settings.templates.remove.text')}
      action={`${pathOf(vaultId, id)}/remove`}
      press={t('settings.templates.remove')}
      back={pathOf(vaultId, id)}
    />,
  )
}

export async function removeTemplate({ deps, visit, vaultId, res }: FormProps, id: string, req: Request) {
  await removeCommentTemplate(deps, byOf(visit, req), vaultId, id)
  res.redirect(303, `${BASE}/vaults/${vaultId}#templates-title`)
}

/** Returns the ID in the address. Throws `not_found` if it is not a UUID. */
export function templateIdOf({ params }: Request): string {
  const id = String(params.template)
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return id
}
