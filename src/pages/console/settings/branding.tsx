/** Page: the branding of a vault's hosted pages, with a preview. */

import type { Request, Response } from 'express'
import multer, { MulterError } from 'multer'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { LANGUAGE_NAMES } from '../../../domain/access/branding.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { RequestRefused } from '../../../domain/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { logoPath } from '../../../use-cases/access/branding.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/effect.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import type { Sent } from '../../form-values.ts'
import { sendMessage, sendPage } from '../../response.tsx'
import { LANGUAGES } from '../../texts/index.ts'
import { frameOf, isOurForm } from '../../visit.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import {
  Checkboxes,
  chosenOf,
  describeInput,
  type FormState,
  InitialValues,
  Input,
  isChanged,
  labelOf,
  NEW_FORM,
  Notes,
  runForm,
  Select,
  textOf,
} from './form.tsx'
import { BASE, Settings } from './shell.tsx'

const OPTIONS = LANGUAGE_NAMES.map((value) => ({ value, label: LANGUAGES[value]['language.name'] }))

export async function showBranding(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const vault = await getVault(deps, id)
  const about = { frame, again }
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="vaults" title={t('settings.pages')} problems={again.problems}>
      <p>
        {t('settings.vault')}: <a href={`${BASE}/vaults/${id}`}>{vault.name}</a> ·{' '}
        <a href={`${BASE}/vaults/${id}/preview`}>{t('settings.preview')}</a>
      </p>
      <PostForm visit={visit} action={`${BASE}/vaults/${id}/pages`} encType="multipart/form-data">
        <InitialValues
          again={again}
          values={{
            accent_color: vault.accentColor,
            accent_color_dark: vault.accentColorDark,
            support_email: vault.supportEmail,
            privacy_url: vault.privacyUrl,
            default_language: vault.defaultLanguage,
            languages: vault.languages,
          }}
        />
        <Logo visit={visit} vault={vault} again={again} />
        <Input
          {...about}
          name="accent_color"
          value={vault.accentColor}
          hint={t('settings.accent_color.hint')}
        />
        <Input
          {...about}
          name="accent_color_dark"
          value={vault.accentColorDark}
          hint={t('settings.accent_color_dark.hint')}
        />
        <Input {...about} name="support_email" type="email" value={vault.supportEmail} />
        <Input {...about} name="privacy_url" inputMode="url" value={vault.privacyUrl} />
        <Checkboxes {...about} name="languages" options={OPTIONS} chosen={vault.languages} />
        <Select {...about} name="default_language" options={OPTIONS} chosen={[vault.defaultLanguage]} />
        <Button>{t('settings.save')}</Button>
      </PostForm>
    </Settings>,
  )
}

function Logo({ visit, vault, again }: { visit: ConsoleVisit; vault: Vault; again: FormState }) {
  const { t } = visit.frame
  const path = logoPath(vault)
  const hint = t('settings.logo.hint')
  return (
    <div class={again.problems.some(({ field }) => field === 'logo') ? 'field field-invalid' : 'field'}>
      <label for="logo">
        {labelOf(t, 'logo')} <span class="quiet">{t('page.optional')}</span>
      </label>
      <Notes again={again} name="logo" hint={hint} />
      {path ? (
        <>
          <img class="logo" src={path} alt={t('settings.logo.now')} />
          <div class="choices">
            <label class="choice">
              <input type="checkbox" name="without_logo" value="yes" />
              <span>{t('settings.logo.remove')}</span>
            </label>
          </div>
        </>
      ) : null}
      <input
        type="file"
        id="logo"
        name="logo"
        accept="image/png,image/jpeg"
        {...describeInput(again, 'logo', hint)}
      />
    </div>
  )
}

const MAX_LOGO_BYTES = 200 * 1024

const upload = multer({
  storage: multer.memoryStorage(),
  limits: { fileSize: MAX_LOGO_BYTES, files: 1, fields: 20, fieldSize: 3_000, fieldNameSize: 100, parts: 21 },
}).single('logo')

/** Returns the logo, or null if none was chosen. Sets `req.body`. Throws `too_long` or `malformed_request`. */
const readForm = (req: Request, res: Response): Promise<Buffer | null> =>
  new Promise((resolve, reject) =>
    upload(req, res, (error: unknown) => {
      const isTooLarge = error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE'
      if (isTooLarge) reject(new RequestRefused({ code: 'too_long', field: 'logo' }))
      else if (error) reject(new RequestRefused({ code: 'malformed_request' }))
      else resolve(req.file && req.file.size > 0 ? req.file.buffer : null)
    }),
  )

export async function brandFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  let isForeign = false
  const refused = await runForm(visit.frame, {}, async () => {
    const logo = await readForm(req, res)
    isForeign = !isOurForm(req, visit.csrf)
    if (isForeign) return
    const vault = await getVault(deps, id)
    const body = parseOrRefuse(patchVaultBody, bodyOf((req.body ?? {}) as Sent, logo, vault))
    const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
    const requested = await requestAction(deps, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, `${BASE}/vaults/${id}/pages`))
  })
  if (isForeign) return sendMessage(res, 403, visit.frame, 'stale')
  const typed = (req.body ?? null) as Sent | null
  if (refused) await showBranding(deps, visit, id, res, { ...refused, typed })
}

const TEXTS = [
  'accent_color',
  'accent_color_dark',
  'support_email',
  'privacy_url',
  'default_language',
] as const

/** If the languages change, the form also sends the default language, which must be one of them. */
const isChosen = (sent: Sent, name: (typeof TEXTS)[number]): boolean =>
  isChanged(sent, name) || (name === 'default_language' && isChanged(sent, 'languages'))

/** Returns the entered values as the API accepts them. `vault` holds the current values. */
const bodyOf = (sent: Sent, logo: Buffer | null, vault: Vault) => ({
  ...(logo && { logo: logo.toString('base64') }),
  ...(!logo && textOf(sent, 'without_logo') && { logo: null }),
  ...Object.fromEntries(
    TEXTS.filter((name) => isChosen(sent, name)).map((name) => [name, textOf(sent, name)]),
  ),
  languages: chosenOf(sent, 'languages', vault.languages),
})

/** Shows a sample of an applicant's page without a form to submit. */
export async function showPreview(deps: RouteDeps, id: string, req: Request, res: Response): Promise<void> {
  const vault = await getVault(deps, id)
  const frame = frameOf(req, vault)
  const { t } = frame
  sendPage(
    res,
    200,
    <Page
      frame={frame}
      title={t('settings.preview.title', { vault: vault.name })}
      back={`${BASE}/vaults/${id}/pages`}
    >
      <p>{t('settings.preview.text')}</p>
      <div class="notice">
        <p>{t('settings.preview.notice')}</p>
      </div>
      <div class="field">
        <label for="example">{t('settings.preview.field')}</label>
        <input type="text" id="example" value="" />
      </div>
      <p class="choice-of-two">
        <Button type="button">{t('settings.preview.button')}</Button>
        <Button type="button" kind="secondary">
          {t('settings.preview.second')}
        </Button>
      </p>
    </Page>,
  )
}
