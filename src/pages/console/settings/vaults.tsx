/** Page: the list of vaults and the form for a new one. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { FOUR_EYES } from '../../../domain/decision/confirmation.ts'
import { REVIEW_TARGET_HOURS } from '../../../domain/decision/review-target.ts'
import { HIGH_RISK_COUNTRIES } from '../../../domain/decision/risk.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { createVaultFromForm, listVaultsWithFailures } from '../../../use-cases/access/vaults.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../form-values.ts'
import { sendPage } from '../../response.tsx'
import { idIn } from '../case-form.ts'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
import {
  Checkboxes,
  chosenOf,
  type FormState,
  InitialValues,
  Input,
  isChanged,
  labelOf,
  Name,
  NEW_FORM,
  runForm,
  textOf,
} from './form.tsx'
import { BASE, Pager, PER_PAGE, pageOf, Settings, Table } from './shell.tsx'

export async function showVaults(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const page = pageOf(req.query)
  const { vaults, totalCount, failing } = await listVaultsWithFailures(deps, { page, per_page: PER_PAGE })
  const rows = vaults.map(({ id, name, createdAt }) => ({
    key: id,
    cells: [
      <>
        <a href={`${BASE}/vaults/${id}`}>{name}</a>
        {failing.has(id) ? (
          <>
            {' '}
            <span class="status bad">{t('settings.webhooks.someFail')}</span>
          </>
        ) : null}
      </>,
      <code>{id}</code>,
      momentOf(frame, createdAt),
    ],
  }))
  const columns = (['name', 'id', 'created_at'] as const).map((column) => labelOf(t, column))
  sendPage(
    res,
    200,
    <Settings visit={visit} section="vaults" title={t('settings.vaults')}>
      <p>
        <ButtonLink href={`${BASE}/vaults/new`}>{t('settings.newVault')}</ButtonLink>
      </p>
      {rows.length === 0 ? <p>{t('settings.none')}</p> : null}
      {rows.length === 0 ? null : <Table caption={t('settings.vaults')} columns={columns} rows={rows} />}
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => `${BASE}/vaults?page=${to}`} />
    </Settings>,
  )
}

export const showNewVault = (visit: ConsoleVisit, res: Response, again: FormState = NEW_FORM): void =>
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="vaults"
      title={visit.frame.t('settings.newVault')}
      problems={again.problems}
    >
      <PostForm visit={visit} action={`${BASE}/vaults/new`}>
        <Name again={again} />
        <VaultFields frame={visit.frame} again={again} />
        <Button>{visit.frame.t('settings.newVault')}</Button>
      </PostForm>
    </Settings>,
  )

export async function createFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(createVaultBody, vaultBodyOf(sent))
    const asked = { ...vaultChangesOf(body), name: body.name }
    const { id } = await createVaultFromForm(deps, byOf(visit, req), asked, idIn(sent) ?? undefined)
    res.redirect(303, `${BASE}/vaults/${id}`)
  })
  if (refused) showNewVault(visit, res, refused)
}

const INTEGER = /^\d+$/
/** Accepts a decimal point or a comma. */
const DECIMAL = /^\d*[.,]?\d+$/

/** The properties of a vault by feature name. */
const FEATURES = {
  import_enabled: 'importEnabled',
  internal_settlements_enabled: 'internalSettlementsEnabled',
} as const
type Feature = keyof typeof FEATURES
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]

/** Returns the entered values as the API accepts them. `vault` holds the current values. */
export function vaultBodyOf(sent: Sent, vault?: Vault) {
  const features = chosenOf(sent, 'features', featuresOf(vault))
  const touched = <V,>(name: string, read: (text: string) => V) =>
    isChanged(sent, name) ? read(textOf(sent, name) ?? '') : undefined
  return {
    name: touched('name', (name) => name),
    ...(features &&
      Object.fromEntries(FEATURE_NAMES.map((feature) => [feature, features.includes(feature)]))),
    four_eyes: chosenOf(sent, 'four_eyes', vault?.fourEyes ?? []),
    high_risk_countries: touched('high_risk_countries', (codes) =>
      codes
        .toUpperCase()
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
    // The schema refuses a text that is not a number.
    review_target_hours: touched('review_target_hours', (hours) =>
      INTEGER.test(hours) ? Number(hours) : hours,
    ),
    trading_fee: touched('trading_fee', (fee) => (DECIMAL.test(fee) ? Number(fee.replace(',', '.')) : fee)),
  }
}

const featuresOf = (vault: Vault | undefined) => FEATURE_NAMES.filter((feature) => vault?.[FEATURES[feature]])

interface VaultFieldsProps {
  readonly frame: Frame
  readonly again: FormState
  readonly vault?: Vault
}

export function VaultFields({ frame, again, vault }: VaultFieldsProps) {
  const about = { frame, again }
  const countries = (vault?.highRiskCountries ?? HIGH_RISK_COUNTRIES).join(', ')
  return (
    <>
      {vault ? (
        <InitialValues
          again={again}
          values={{
            name: vault.name,
            features: featuresOf(vault),
            four_eyes: vault.fourEyes,
            high_risk_countries: countries,
            review_target_hours: vault.reviewTargetHours,
            trading_fee: vault.tradingFee,
          }}
        />
      ) : null}
      <Input {...about} name="name" value={vault?.name ?? null} required />
      <Checkboxes
        {...about}
        name="features"
        options={FEATURE_NAMES.map((value) => ({ value, label: labelOf(frame.t, value) }))}
        chosen={featuresOf(vault)}
      />
      <Checkboxes
        {...about}
        name="four_eyes"
        hint={frame.t('settings.four_eyes.hint')}
        options={FOUR_EYES.map((value) => ({ value, label: labelOf(frame.t, value) }))}
        chosen={vault?.fourEyes ?? []}
      />
      <Input
        {...about}
        name="high_risk_countries"
        value={countries}
        hint={frame.t('settings.high_risk_countries.hint')}
      />
      <Input
        {...about}
        name="review_target_hours"
        value={String(vault?.reviewTargetHours ?? REVIEW_TARGET_HOURS.default)}
        inputMode="numeric"
        hint={frame.t('settings.review_target_hours.hint')}
        required
      />
      <Input
        {...about}
        name="trading_fee"
        value={String(vault?.tradingFee ?? 0)}
        inputMode="decimal"
        hint={frame.t('settings.trading_fee.hint')}
        required
      />
    </>
  )
}
