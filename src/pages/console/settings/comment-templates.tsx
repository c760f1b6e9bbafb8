/** Page: a vault's comment templates, which administrators add, change and remove. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { commentTemplateForm } from '../../../contracts/comment-template.ts'
import { type CommentTemplate, MAX_COMMENT_TEMPLATES } from '../../../domain/access/comment-template.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import {
  addCommentTemplate,
  changeCommentTemplate,
  getCommentTemplate,
  listCommentTemplates,
  removeCommentTemplate,
} from '../../../use-cases/access/comment-templates.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { ButtonLink } from '../../components/button.tsx'
import { flashAt } from '../base/flash.ts'
import { enteredValues, type Field, idIn, languageName, languageOptions } from '../base/form.ts'
import { Inputs } from '../base/inputs.tsx'
import { confirmationPage, List, RowLink, SettingsForm } from '../base/parts.tsx'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { vaultPath } from './sections.ts'

const listPath = (vaultId: string) => vaultPath(vaultId, 'templates')
const pathOf = (vaultId: string, id: string) => `${listPath(vaultId)}/${id}`

export async function templatesPage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id: vaultId } = ask
  const place = await placeInVault(ask, 'templates')
  const templates = await listCommentTemplates(deps, visit, 'read_settings', vaultId)
  const mayAdd = mayAdminister(ask, vaultId) && templates.length < MAX_COMMENT_TEMPLATES
  const add = mayAdd ? (
    <ButtonLink href={pathOf(vaultId, 'new')} icon="plus">
      {t('settings.templates.add')}
    </ButtonLink>
  ) : null
  return {
    ...place,
    title: t('settings.templates'),
    lead: t('settings.templates.hint'),
    tools: templates.length > 0 ? add : null,
    children: (
      <List
        ask={ask}
        isLinked
        rows={templates}
        keyOf={({ id }) => id}
        none={mayAdminister(ask, vaultId) ? 'settings.templates.none' : 'settings.templates.none.reader'}
        icon="message-square-text"
        action={add}
        columns={[
          {
            key: 'template_title',
            cell: ({ id, title }) => <RowLink href={pathOf(vaultId, id)}>{title}</RowLink>,
          },
          { key: 'template_language', cell: ({ language }) => languageName(t, language) },
        ]}
      />
    ),
  }
}

/** The vault of a form, and the template, which is null if the form adds one. */
type Subject = readonly [vault: Vault, template: CommentTemplate | null]

const FIELDS: readonly Field<Subject>[] = [
  {
    name: 'template_language',
    choose: 'one',
    options: (t, [{ languages }, template]) =>
      languageOptions(t, [...new Set([...languages, ...(template ? [template.language] : [])])]),
    value: ([{ defaultLanguage }, template]) => template?.language ?? defaultLanguage,
  },
  {
    name: 'template_title',
    hint: 'settings.template_title.hint',
    isRequired: true,
    value: ([, template]) => template?.title ?? null,
  },
  {
    name: 'template_text',
    type: 'long',
    hint: 'settings.template_text.hint',
    isRequired: true,
    value: ([, template]) => template?.text ?? null,
    read: (text) => text.replaceAll('\r\n', '\n'),
  },
]

/** Returns the template in the address, or null if the address is that of a new one. */
const templateOf = ({ deps, visit, id, templateId }: Ask, permission: 'administer' | 'read_settings') =>
  templateId === '' ? null : getCommentTemplate(deps, visit, permission, id, templateId)

export async function templatePage(ask: Ask): Promise<Reply> {
  const { t, id: vaultId, templateId } = ask
  const permission = templateId === '' ? 'administer' : 'read_settings'
  const place = await placeInVault(ask, 'templates', { permission })
  const template = await templateOf(ask, permission)
  const maySave = mayAdminister(ask, vaultId)
  const isNew = template === null
  const title = isNew ? 'settings.templates.add' : 'settings.templates.change'
  const path = pathOf(vaultId, template?.id ?? 'new')
  return {
    ...place,
    title: template && !maySave ? template.title : t(title),
    tools:
      !isNew && maySave ? (
        <ButtonLink kind="danger" icon="trash-2" href={`${path}/remove`}>
          {t('settings.templates.remove')}
        </ButtonLink>
      ) : null,
    children: (
      <SettingsForm
        ask={ask}
        action={path}
        maySave={maySave}
        {...(isNew && { press: t(title) })}
        back={isNew ? listPath(vaultId) : path}
        isNew={isNew}
        isSentOnce={isNew}
      >
        <div class="card settings-card">
          <Inputs ask={ask} fields={FIELDS} object={[place.vault, template]} />
        </div>
      </SettingsForm>
    ),
  }
}

export async function saveTemplate(ask: Ask): Promise<Reply> {
  const { deps, visit, by, res, id: vaultId, templateId, sent } = ask
  const content = parseOrRefuse(commentTemplateForm, enteredValues(sent, FIELDS))
  const isNew = templateId === ''
  if (isNew) await addCommentTemplate(visit, by, vaultId, content, formEffect(deps, idIn(sent)))
  else await changeCommentTemplate(deps, visit, by, vaultId, { ...content, id: templateId })
  return flashAt(deps, res, listPath(vaultId), isNew ? 'templateAdded' : 'templateSaved', content.title)
}

export async function askToRemoveTemplate(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id: vaultId, templateId } = ask
  const { title } = await getCommentTemplate(deps, visit, 'administer', vaultId, templateId)
  const confirmation = confirmationPage(ask, {
    title: t('settings.templates.remove.title', { title }),
    text: 'settings.templates.remove.text',
    action: `${pathOf(vaultId, templateId)}/remove`,
    press: 'settings.templates.remove',
    back: pathOf(vaultId, templateId),
  })
  return { ...(await placeInVault(ask, 'templates')), ...confirmation }
}

export async function removeTemplate(ask: Ask): Promise<Reply> {
  const { deps, visit, by, res, id: vaultId, templateId } = ask
  const removed = await removeCommentTemplate(deps, visit, by, vaultId, templateId)
  return flashAt(deps, res, listPath(vaultId), 'templateRemoved', removed?.title)
}
