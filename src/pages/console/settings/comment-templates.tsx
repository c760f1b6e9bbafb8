/** Page: a vault's comment templates, which administrators add, change and remove. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { commentTemplateForm } from '../../../contracts/comment-template.ts'
import { MAX_COMMENT_TEMPLATES } from '../../../domain/access/comment-template.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  addCommentTemplate,
  changeCommentTemplate,
  getCommentTemplate,
  listCommentTemplates,
  removeCommentTemplate,
} from '../../../use-cases/access/comment-templates.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { ButtonLink } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import { sendPage } from '../../routing/response.tsx'
import { LANGUAGES } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { idIn } from '../case-form.ts'
import type { ConsoleVisit } from '../visit.ts'
import { type FormState, Input, labelOf, Name, NEW_FORM, runForm, Select, TextArea, textOf } from './form.tsx'
import { BASE, ConfirmPage, chooseVault, FormFoot, Settings } from './shell.tsx'

const listOf = (vaultId: string) => `${BASE}/vaults/${vaultId}/comment_templates`
const pathOf = (vaultId: string, id: string) => `${listOf(vaultId)}/${id}`

export async function showTemplates({ deps, visit, vaultId, res }: FormProps): Promise<void> {
  const { t } = visit.frame
  const vault = await getVault(deps, visit, 'read_settings', vaultId)
  const templates = await listCommentTemplates(deps, visit, 'read_settings', vaultId)
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="templates"
      vault={await chooseVault(deps, visit, vault)}
      title={t('settings.templates')}
      lead={t('settings.templates.hint')}
      tools={
        hasPermission(visit, 'administer', vaultId) && templates.length < MAX_COMMENT_TEMPLATES ? (
          <ButtonLink href={pathOf(vaultId, 'new')} icon="plus">
            {t('settings.templates.add')}
          </ButtonLink>
        ) : null
      }
    >
      {templates.length === 0 ? (
        <p class="card quiet">{t('settings.templates.none')}</p>
      ) : (
        <DataTable
          isLinked
          rows={templates}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'title',
              head: labelOf(t, 'template_title'),
              cell: ({ id, title }) => (
                <a class="row-link" href={pathOf(vaultId, id)}>
                  {title}
                </a>
              ),
            },
            {
              key: 'language',
              head: labelOf(t, 'template_language'),
              cell: ({ language }) => LANGUAGES[language]['language.name'],
            },
          ]}
        />
      )}
    </Settings>,
  )
}

interface FormProps {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly vaultId: string
  readonly res: Response
}

/** Shows the form for a template. `id` is null for a new template. */
export async function showTemplate(
  { deps, visit, vaultId, res }: FormProps,
  id: string | null,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const needed = id === null ? 'administer' : 'read_settings'
  const vault = await getVault(deps, visit, needed, vaultId)
  const template = id === null ? null : await getCommentTemplate(deps, visit, needed, vaultId, id)
  const about = { frame, again }
  const mayChange = hasPermission(visit, 'administer', vaultId)
  const offered = new Set([...vault.languages, ...(template ? [template.language] : [])])
  const title = t(template ? 'settings.templates.change' : 'settings.templates.add')
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="templates"
      vault={await chooseVault(deps, visit, vault)}
      title={title}
      tools={
        template && mayChange ? (
          <ButtonLink kind="danger" icon="trash-2" href={`${pathOf(vaultId, template.id)}/remove`}>
            {t('settings.templates.remove')}
          </ButtonLink>
        ) : null
      }
      problems={again.problems}
    >
      <PostForm
        visit={visit}
        action={pathOf(vaultId, id ?? 'new')}
        class="settings-form"
        {...(template && { 'data-changes': true })}
      >
        {template ? null : <Name again={again} />}
        <div class="card settings-card">
          <Select
            {...about}
            name="template_language"
            options={[...offered].map((value) => ({ value, label: LANGUAGES[value]['language.name'] }))}
            chosen={[template?.language ?? vault.defaultLanguage]}
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
        </div>
        {template ? (
          <FormFoot frame={frame} maySave={mayChange} back={pathOf(vaultId, template.id)} />
        ) : (
          <FormFoot frame={frame} press={title} back={listOf(vaultId)} isNew />
        )}
      </PostForm>
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
    if (id === null)
      await addCommentTemplate(visit, by, vaultId, content, formEffect(deps, idIn(sent) ?? undefined))
    else await changeCommentTemplate(deps, visit, by, vaultId, { ...content, id })
    res.redirect(303, listOf(vaultId))
  })
  if (refused) await showTemplate(form, id, refused)
}

export async function askToRemoveTemplate({ deps, visit, vaultId, res }: FormProps, id: string) {
  const { t } = visit.frame
  const { title } = await getCommentTemplate(deps, visit, 'administer', vaultId, id)
  sendPage(
    res,
    200,
    <ConfirmPage
      visit={visit}
      section="templates"
      vault={await chooseVault(deps, visit, await getVault(deps, visit, 'read_settings', vaultId))}
      title={t('settings.templates.remove.title', { title })}
      text={t('settings.templates.remove.text')}
      action={`${pathOf(vaultId, id)}/remove`}
      press={t('settings.templates.remove')}
      back={pathOf(vaultId, id)}
    />,
  )
}

export async function removeTemplate({ deps, visit, vaultId, res }: FormProps, id: string, req: Request) {
  await removeCommentTemplate(deps, visit, byOf(visit, req), vaultId, id)
  res.redirect(303, listOf(vaultId))
}

/** Returns the ID in the address. Throws `not_found` if it is not a UUID. */
export function templateIdOf({ params }: Request): string {
  const id = String(params.template)
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return id
}
