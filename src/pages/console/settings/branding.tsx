/** Page: the branding of a vault's hosted pages, with a preview. */

import type { Request, Response } from 'express'
import multer, { MulterError } from 'multer'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { comparedColors, contrastOf, LANGUAGE_NAMES, type Scheme } from '../../../domain/access/branding.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { brandStyle, logoPath } from '../../../use-cases/access/branding.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { type Frame, VaultSign } from '../../components/layout.tsx'
import { sendMessage, sendPage } from '../../routing/response.tsx'
import { isOurForm } from '../../routing/visit.ts'
import { LANGUAGES } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import {
  Checkboxes,
  chosenOf,
  describeInput,
  FormField,
  type FormState,
  Hint,
  InitialValues,
  Input,
  isChanged,
  NEW_FORM,
  runForm,
  Select,
  textOf,
} from './form.tsx'
import { SAMPLES, SamplePages } from './preview.tsx'
import { BASE, chooseVault, FormFoot, Settings } from './shell.tsx'

const OPTIONS = LANGUAGE_NAMES.map((value) => ({ value, label: LANGUAGES[value]['language.name'] }))

const TINTS = ['tint-4', 'tint-8', 'tint-16', 'tint-32', 'tint-60', 'accent', 'accent-hover'] as const

const SCHEMES = { light: 'accent_color', dark: 'accent_color_dark' } as const

export async function showBranding(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const vault = await getVault(deps, visit, 'read_settings', id)
  const about = { frame, again }
  const path = `${BASE}/vaults/${id}/pages`
  const colors = colorsOf(vault, again)
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="pages"
      vault={await chooseVault(deps, visit, vault)}
      title={t('settings.pages')}
      lead={t('settings.pages.lead')}
      aside={<Preview frame={frame} vault={vault} colors={colors} />}
      problems={again.problems}
    >
      <PostForm
        visit={visit}
        action={path}
        encType="multipart/form-data"
        class="settings-form"
        data-changes
        data-branding
      >
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
        <div class="card settings-card">
          <div class="field-pair">
            {(['light', 'dark'] as const).map((scheme) => (
              <ColorField key={scheme} {...about} scheme={scheme} value={colors[scheme]} />
            ))}
          </div>
          <div class="tints">
            <p class="hint">{t('settings.tints')}</p>
            <svg class="preview-page tint-row" viewBox="0 0 508 28" aria-hidden="true">
              {TINTS.map((tint, index) => (
                <rect
                  key={tint}
                  x={0.5 + index * 73}
                  y="0.5"
                  width="69"
                  height="27"
                  rx="6"
                  fill={`var(--${tint})`}
                />
              ))}
            </svg>
          </div>
        </div>
        <div class="card settings-card">
          <div class="field-pair">
            <Input {...about} name="support_email" type="email" value={vault.supportEmail} />
            <Input {...about} name="privacy_url" inputMode="url" value={vault.privacyUrl} />
          </div>
          <div class="field-pair">
            <Checkboxes {...about} name="languages" options={OPTIONS} chosen={vault.languages} isRow />
            <Select {...about} name="default_language" options={OPTIONS} chosen={[vault.defaultLanguage]} />
          </div>
        </div>
        <FormFoot frame={frame} maySave={hasPermission(visit, 'administer', id)} back={path}>
          <Button kind="secondary" name="preview" value="yes" data-without-scripts>
            {t('settings.preview.show')}
          </Button>
        </FormFoot>
      </PostForm>
    </Settings>,
  )
}

const COLOR = /^#[0-9a-f]{6}$/i

type Colors = Readonly<Record<Scheme, string | null>>

/** Returns the typed colours, or those of the vault if the form was not sent. */
function colorsOf(vault: Vault, { typed }: FormState): Colors {
  if (!typed) return { light: vault.accentColor, dark: vault.accentColorDark }
  return { light: textOf(typed, SCHEMES.light), dark: textOf(typed, SCHEMES.dark) }
}

/** Returns the path of a style sheet with these colours. Omits colours that are not complete. */
function stylePath(colors: Colors): string {
  const query = Object.entries(colors).filter(([, color]) => color !== null && COLOR.test(color))
  return `${BASE}/colors.css?${new URLSearchParams(query.map(([scheme, color]) => [scheme, color?.slice(1) ?? '']))}`
}

/** Sends the colours in the address as custom properties, to preview them before they are saved. */
export function sendColors({ query }: Request, res: Response): void {
  const colorOf = (scheme: Scheme) => (COLOR.test(`#${query[scheme]}`) ? `#${query[scheme]}` : null)
  res.type('css').send(brandStyle({ accentColor: colorOf('light'), accentColorDark: colorOf('dark') }))
}

interface ColorFieldProps {
  readonly frame: Frame
  readonly again: FormState
  readonly scheme: Scheme
  readonly value: string | null
}

/** Renders the input. A script updates the swatch and the contrast as the operator types. */
function ColorField({ frame, again, scheme, value }: ColorFieldProps) {
  const { t, language } = frame
  const name = SCHEMES[scheme]
  const measured = value !== null && COLOR.test(value) ? contrastOf(value, scheme) : null
  const decimal = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const texts = {
    good: t(`settings.contrast.${scheme}`, { ratio: '{ratio}' }),
    low: t('settings.contrast.low', { ratio: '{ratio}' }),
  }
  const text = measured?.isEnough ? texts.good : texts.low
  const hint = measured ? undefined : t(`settings.${name}.hint`)
  return (
    <FormField frame={frame} again={again} name={name}>
      <span class="color-field">
        <svg class="swatch" viewBox="0 0 18 18" width={18} height={18} aria-hidden="true">
          <rect width="18" height="18" rx="4" fill={measured ? (value ?? 'none') : 'none'} />
        </svg>
        <input type="color" aria-label={t('settings.color.pick')} hidden />
        <input
          type="text"
          id={name}
          name={name}
          value={value ?? ''}
          autocomplete="off"
          {...describeInput(again, name, hint)}
        />
      </span>
      <p
        class={measured?.isEnough ? 'contrast contrast-good' : 'contrast'}
        data-good={texts.good}
        data-low={texts.low}
        data-scheme={scheme}
        data-colors={comparedColors(scheme).join(' ')}
      >
        {measured ? text.replace('{ratio}', decimal.format(measured.ratio)) : null}
      </p>
      {/* The hint is below the input, so that both colour inputs are on one line. */}
      <Hint name={name} hint={hint} />
    </FormField>
  )
}

interface PreviewProps {
  readonly frame: Frame
  readonly vault: Vault
  readonly colors: Colors
}

/** Shows sample pages as they appear on a phone. Radio buttons switch between the samples without scripts. */
function Preview({ frame, vault, colors }: PreviewProps) {
  const { t } = frame
  const switches = { scheme: ['light', 'dark'], sample: SAMPLES } as const
  return (
    <section class="branding-preview" aria-labelledby="preview-title">
      <link rel="stylesheet" href={stylePath(colors)} />
      <div class="preview-head">
        <h2 id="preview-title">{t('settings.preview')}</h2>
        {Object.entries(switches).map(([name, values]) => (
          <fieldset key={name} class="segments">
            <legend class="unseen">{t(`settings.preview.${name as keyof typeof switches}`)}</legend>
            {values.map((value, index) => (
              <label key={value}>
                <input type="radio" class="unseen" name={name} value={value} checked={index === 0} />
                {t(`settings.preview.${value}`)}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      <div class="phone">
        <SamplePages frame={frame} vault={vault} />
      </div>
    </section>
  )
}

function Logo({ visit: { frame }, vault, again }: { visit: ConsoleVisit; vault: Vault; again: FormState }) {
  const { t } = frame
  const path = logoPath(vault)
  const hint = t('settings.logo.hint')
  return (
    <div class="card settings-card logo-card">
      <div class="logo-box">
        {path ? <img class="logo" src={path} alt={t('settings.logo.now')} /> : <VaultSign vault={vault} />}
      </div>
      <FormField frame={frame} again={again} name="logo" hint={hint} isOptional>
        <input
          type="file"
          id="logo"
          name="logo"
          accept="image/png,image/jpeg"
          {...describeInput(again, 'logo', hint)}
        />
        {path ? (
          <label class="choice">
            <input type="checkbox" name="without_logo" value="yes" />
            <span>{t('settings.logo.remove')}</span>
          </label>
        ) : null}
      </FormField>
    </div>
  )
}

const MAX_LOGO_BYTES = 200 * 1024

const upload = multer({
  storage: multer.memoryStorage(),
  limits: { fileSize: MAX_LOGO_BYTES, files: 1, fields: 20, fieldSize: 3_000, fieldNameSize: 100, parts: 21 },
}).single('logo')

/**
 * Reads the form into `req.body`. Returns the logo, or null if no file was chosen. Throws `too_long` or
 * `malformed_request`.
 */
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
    const vault = await getVault(deps, visit, 'administer', id)
    const logo = await readForm(req, res)
    isForeign = !isOurForm(req, visit.csrf)
    if (isForeign) return
    if (textOf((req.body ?? {}) as Sent, 'preview')) return showBranding(deps, visit, id, res, previewOf(req))
    const body = parseOrRefuse(patchVaultBody, bodyOf((req.body ?? {}) as Sent, logo, vault))
    const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
    const requested = await requestAction(deps, visit, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, `${BASE}/vaults/${id}/pages`))
  })
  if (isForeign) return sendMessage(res, 403, visit.frame, 'stale')
  const typed = (req.body ?? null) as Sent | null
  if (refused) await showBranding(deps, visit, id, res, { ...refused, typed })
}

/** Returns the form with its typed values, which are not saved. */
const previewOf = (req: Request): FormState => ({ ...NEW_FORM, typed: (req.body ?? {}) as Sent })

const TEXTS = [
  'accent_color',
  'accent_color_dark',
  'support_email',
  'privacy_url',
  'default_language',
] as const

/**
 * Returns true if the text must be saved. Also returns true for the default language if the languages change, because
 * it must be one of them.
 */
const isChosen = (sent: Sent, name: (typeof TEXTS)[number]): boolean =>
  isChanged(sent, name) || (name === 'default_language' && isChanged(sent, 'languages'))

/** Returns the entered values in the format of the API. `vault` contains the current values. */
const bodyOf = (sent: Sent, logo: Buffer | null, vault: Vault) => ({
  ...(logo && { logo: logo.toString('base64') }),
  ...(!logo && textOf(sent, 'without_logo') && { logo: null }),
  ...Object.fromEntries(
    TEXTS.filter((name) => isChosen(sent, name)).map((name) => [name, textOf(sent, name)]),
  ),
  languages: chosenOf(sent, 'languages', vault.languages),
})
