/** Page: the branding of a vault's hosted pages, with a preview. */
import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { comparedColors, contrastOf, type Scheme } from '../../../domain/access/branding.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { LANGUAGE_NAMES } from '../../../domain/base/language.ts'
import { brandStyle, logoPath } from '../../../use-cases/access/branding.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { Button } from '../../components/button.tsx'
import { Hint } from '../../components/field-notes.tsx'
import { VaultSign } from '../../components/layout.tsx'
import { isOurForm } from '../../routing/origin.ts'
import type { Sent } from '../../values/form-values.ts'
import { flashAt } from '../base/flash.ts'
import {
  enteredValues,
  type Field,
  type FormState,
  languageOptions,
  NEW_FORM,
  storedValues,
  textOf,
} from '../base/form.ts'
import { FileInput, FormField, Inputs, inputOf } from '../base/inputs.tsx'
import { SettingsForm } from '../base/parts.tsx'
import { performAction } from './actions.tsx'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { SAMPLES, SamplePages } from './preview.tsx'
import { BASE, vaultPath } from './sections.ts'
import { readUpload } from './upload.ts'

/** The fields with a swatch, which are rendered by `ColorField`. */
const COLORS: readonly Field<Vault>[] = [
  { name: 'accent_color', value: ({ accentColor }) => accentColor },
  { name: 'accent_color_dark', value: ({ accentColorDark }) => accentColorDark },
]
const CONTACTS: readonly Field<Vault>[] = [
  { name: 'support_email', type: 'email', value: ({ supportEmail }) => supportEmail },
  { name: 'privacy_url', inputMode: 'url', value: ({ privacyUrl }) => privacyUrl },
]
const LANGUAGE_CHOICES: readonly Field<Vault>[] = [
  {
    name: 'languages',
    choose: 'some',
    options: (t) => languageOptions(t, LANGUAGE_NAMES),
    isRow: true,
    value: ({ languages }) => languages,
  },
  {
    name: 'default_language',
    choose: 'one',
    options: (t) => languageOptions(t, LANGUAGE_NAMES),
    value: ({ defaultLanguage }) => defaultLanguage,
  },
]
const FIELDS = [...COLORS, ...CONTACTS, ...LANGUAGE_CHOICES]

const TINTS = ['tint-4', 'tint-8', 'tint-16', 'tint-32', 'tint-60', 'accent', 'accent-hover'] as const

const SCHEMES = { light: 'accent_color', dark: 'accent_color_dark' } as const

export async function brandingPage(ask: Ask): Promise<Reply> {
  const { t, again, id } = ask
  const place = await placeInVault(ask, 'pages')
  const { vault } = place
  const path = vaultPath(id, 'pages')
  const colors = colorsOf(vault, again)
  return {
    ...place,
    title: t('settings.pages'),
    lead: t('settings.pages.lead'),
    aside: <Preview ask={ask} vault={vault} colors={colors} />,
    children: (
      <SettingsForm
        ask={ask}
        action={path}
        attributes={{ encType: 'multipart/form-data', 'data-branding': true }}
        values={storedValues(FIELDS, vault)}
        back={path}
        maySave={mayAdminister(ask, id)}
        buttons={
          <Button kind="secondary" name="preview" value="yes" data-without-scripts>
            {t('settings.preview.show')}
          </Button>
        }
      >
        <Logo ask={ask} vault={vault} />
        <div class="card settings-card">
          <div class="field-pair">
            <ColorField ask={ask} scheme="light" value={colors.light} />
            <ColorField ask={ask} scheme="dark" value={colors.dark} />
          </div>
          <Tints hint={t('settings.tints')} />
        </div>
        <div class="card settings-card">
          <div class="field-pair">
            <Inputs ask={ask} fields={CONTACTS} object={vault} />
          </div>
          <div class="field-pair">
            <Inputs ask={ask} fields={LANGUAGE_CHOICES} object={vault} />
          </div>
        </div>
      </SettingsForm>
    ),
  }
}

/** Shows the colours that the style sheet derives from the accent colour. */
const Tints = ({ hint }: { readonly hint: string }) => (
  <div class="tints">
    <p class="hint">{hint}</p>
    <svg class="preview-page tint-row" viewBox="0 0 508 28" aria-hidden="true">
      {TINTS.map((tint, index) => (
        <rect key={tint} x={0.5 + index * 73} y="0.5" width="69" height="27" rx="6" fill={`var(--${tint})`} />
      ))}
    </svg>
  </div>
)

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
  readonly ask: Ask
  readonly scheme: Scheme
  readonly value: string | null
}

/** Renders the input. A script updates the swatch and the contrast as the operator types. */
function ColorField({ ask: { frame, t, again }, scheme, value }: ColorFieldProps) {
  const name = SCHEMES[scheme]
  const measured = value !== null && COLOR.test(value) ? contrastOf(value, scheme) : null
  const decimal = new Intl.NumberFormat(frame.language, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
  const texts = {
    good: t(`settings.contrast.${scheme}`, { ratio: '{ratio}' }),
    low: t(`settings.contrast.low.${scheme}`),
  }
  const text = measured?.isEnough ? texts.good : texts.low
  const hint = measured ? undefined : t(`settings.${name}.hint`)
  return (
    <FormField frame={frame} again={again} name={name}>
      <span class="color-field">
        <svg
          class={`preview-page swatch swatch-${scheme}`}
          viewBox="0 0 18 18"
          width={18}
          height={18}
          aria-hidden="true"
        >
          <rect width="18" height="18" rx="4" />
          <text x="9" y="13.5" text-anchor="middle">
            A
          </text>
        </svg>
        <input type="color" aria-label={t('settings.color.pick')} hidden />
        <input type="text" {...inputOf({ again, name, hint })} value={value ?? ''} autocomplete="off" />
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
      <Hint id={name} hint={hint} />
    </FormField>
  )
}

/** Shows sample pages as they appear on a phone. Radio buttons switch between the samples without scripts. */
function Preview({ ask: { frame, t }, vault, colors }: { ask: Ask; vault: Vault; colors: Colors }) {
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

function Logo({ ask: { frame, t, again }, vault }: { readonly ask: Ask; readonly vault: Vault }) {
  const path = logoPath(vault)
  const hint = t('settings.logo.hint')
  return (
    <div class="card settings-card logo-card">
      <div class="logo-box">
        {path ? <img class="logo" src={path} alt={t('settings.logo.now')} /> : <VaultSign vault={vault} />}
      </div>
      <FormField {...{ frame, again, hint }} name="logo" isOptional>
        <div class="actions">
          <FileInput
            {...inputOf({ again, name: 'logo', hint })}
            choose={t(path ? 'settings.logo.replace' : 'files.choose')}
            accept="image/png,image/jpeg"
          />
          {path ? (
            <label class="choice">
              <input type="checkbox" name="without_logo" value="yes" />
              <span>{t('settings.logo.remove')}</span>
            </label>
          ) : null}
        </div>
      </FormField>
    </div>
  )
}

const readLogo = readUpload('logo', 200 * 1024)

export async function saveBranding(ask: Ask): Promise<Reply> {
  const { deps, visit, req, res, id } = ask
  const vault = await getVault(deps, visit, 'administer', id)
  const logo = await readLogo(ask)
  if (!isOurForm(req, visit.csrf)) return null
  const sent = (req.body ?? {}) as Sent
  // The preview shows the typed values, which are not saved.
  if (textOf(sent, 'preview')) return brandingPage({ ...ask, again: { ...NEW_FORM, typed: sent } })
  const body = parseOrRefuse(patchVaultBody, bodyOf(sent, logo, vault))
  const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
  return performAction(ask, action, () =>
    flashAt(deps, res, vaultPath(id, 'pages'), 'pagesSaved', vault.name),
  )
}

/** Returns the entered values in the format of the API. `vault` contains the current values. */
function bodyOf(sent: Sent, logo: Buffer | null, vault: Vault) {
  const entered = enteredValues(sent, FIELDS, storedValues(FIELDS, vault))
  return {
    ...entered,
    ...(logo && { logo: logo.toString('base64') }),
    ...(!logo && textOf(sent, 'without_logo') && { logo: null }),
    // The default language must be one of the languages, so both are saved together.
    ...(entered.languages !== undefined && { default_language: textOf(sent, 'default_language') }),
  }
}
