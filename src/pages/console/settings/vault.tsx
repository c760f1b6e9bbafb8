/** Page: a vault's name, features, review rules and limits, and the form for a new vault. */
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createVaultBody, patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { FOUR_EYES } from '../../../domain/access/review-policy.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { HIGH_RISK_COUNTRIES } from '../../../domain/decision/risk.ts'
import { REVIEW_TARGET_HOURS } from '../../../domain/review/review-target.ts'
import {
  createVaultFromForm,
  getVault,
  readVaultLimits,
  type VaultLimit,
} from '../../../use-cases/access/vaults.ts'
import { Card, FoldedCard } from '../../components/card.tsx'
import type { TextName } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { fractionOf, percentOf, readPercentage, sizeText } from '../../values/numbers.ts'
import { flashAt } from '../base/flash.ts'
import { enteredValues, type Field, idIn, optionsOf, storedValues } from '../base/form.ts'
import { Inputs } from '../base/inputs.tsx'
import { List, SettingsForm } from '../base/parts.tsx'
import { performAction } from './actions.tsx'
import { type Ask, mayAdminister, placeInVault, type Reply } from './ask.ts'
import { BASE, vaultPath } from './sections.ts'

const INTEGER = /^\d+$/
const DECIMAL = /^(?:\d+|\d*\.\d+)$/

/** Returns the fraction for a fee in percent, or the text if it is not a number. */
export function readFee(text: string): number | string {
  const percent = readPercentage(text)
  return DECIMAL.test(percent) ? fractionOf(Number(percent)) : text
}

/** The property of a vault for each feature. */
const FEATURES = {
  import_enabled: 'importEnabled',
  internal_settlements_enabled: 'internalSettlementsEnabled',
  send_traceparent: 'sendTraceparent',
  emails: 'emails',
  email_outcomes: 'emailOutcomes',
} as const
type Feature = keyof typeof FEATURES
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]

type Fields = readonly Field<Vault | null>[]

const GENERAL: Fields = [
  { name: 'name', isRequired: true, value: (vault) => vault?.name ?? null },
  {
    name: 'features',
    choose: 'some',
    options: (t) => optionsOf(t, FEATURE_NAMES),
    value: (vault) => FEATURE_NAMES.filter((feature) => vault?.[FEATURES[feature]]),
  },
  {
    name: 'trading_fee',
    inputMode: 'decimal',
    hint: 'settings.trading_fee.hint',
    isRequired: true,
    value: (vault) => percentOf(vault?.tradingFee ?? 0),
    read: readFee,
  },
]

const RULES: Fields = [
  {
    name: 'four_eyes',
    choose: 'some',
    hint: 'settings.four_eyes.hint',
    options: (t) => optionsOf(t, FOUR_EYES),
    value: (vault) => vault?.fourEyes ?? [],
  },
  {
    name: 'high_risk_countries',
    choose: 'countries',
    hint: 'settings.high_risk_countries.hint',
    value: (vault) => vault?.highRiskCountries ?? HIGH_RISK_COUNTRIES,
  },
  {
    name: 'review_target_hours',
    inputMode: 'numeric',
    hint: 'settings.review_target_hours.hint',
    isRequired: true,
    value: (vault) => vault?.reviewTargetHours ?? REVIEW_TARGET_HOURS.default,
    read: (hours) => (INTEGER.test(hours) ? Number(hours) : hours),
  },
]

const FIELDS = [...GENERAL, ...RULES]

/** Returns the entered values in the format of the API, which has one value for each feature. */
function bodyOf(sent: Sent, vault: Vault | null) {
  const { features, ...body } = enteredValues(sent, FIELDS, storedValues(FIELDS, vault))
  const chosen = features as readonly string[] | undefined
  return {
    ...body,
    ...(chosen && Object.fromEntries(FEATURE_NAMES.map((feature) => [feature, chosen.includes(feature)]))),
  }
}

const VaultFields = ({ ask, vault }: { readonly ask: Ask; readonly vault: Vault | null }) => (
  <div class="settings-columns">
    <Card id="general-title" title={ask.t('settings.general')}>
      <Inputs ask={ask} fields={GENERAL} object={vault} />
    </Card>
    <Card id="rules-title" title={ask.t('settings.rules')}>
      <Inputs ask={ask} fields={RULES} object={vault} />
    </Card>
  </div>
)

export const newVaultPage = (ask: Ask): Reply => ({
  section: 'vaults',
  title: ask.t('settings.newVault'),
  children: (
    <SettingsForm
      ask={ask}
      action={`${BASE}/vaults/new`}
      values={storedValues(FIELDS, null)}
      press={ask.t('settings.newVault')}
      back={`${BASE}/vaults`}
      isNew
      isSentOnce
    >
      <VaultFields ask={ask} vault={null} />
    </SettingsForm>
  ),
})

export async function createVault({ deps, by, res, sent }: Ask): Promise<Reply> {
  const body = parseOrRefuse(createVaultBody, bodyOf(sent, null))
  const asked = { ...vaultChangesOf(body), name: body.name }
  const { id } = await createVaultFromForm(deps, by, asked, idIn(sent))
  return flashAt(deps, res, vaultPath(id), 'vaultAdded', body.name)
}

export async function vaultPage(ask: Ask): Promise<Reply> {
  const { deps, visit, t, id } = ask
  const place = await placeInVault(ask, 'general')
  const { vault } = place
  const limits = await readVaultLimits(deps, visit, id)
  const path = vaultPath(id)
  return {
    ...place,
    title: vault.name,
    lead: (
      <>
        <code>{id}</code> · <a href={`${BASE}/audit?vault_id=${id}`}>{t('settings.itsAudit')}</a>
      </>
    ),
    children: (
      <SettingsForm
        ask={ask}
        action={path}
        values={storedValues(FIELDS, vault)}
        back={path}
        maySave={mayAdminister(ask, id)}
      >
        <VaultFields ask={ask} vault={vault} />
        <Limits ask={ask} limits={limits} />
      </SettingsForm>
    ),
  }
}

/** Shows the limits of the deployment, and how much of them the vault uses. */
function Limits({ ask, limits }: { readonly ask: Ask; readonly limits: readonly VaultLimit[] }) {
  const { t, frame } = ask
  const numbers = new Intl.NumberFormat(frame.language)
  const shown = (name: string, value: number) =>
    name === 'vault_bytes' ? sizeText(frame.language, value) : numbers.format(value)
  return (
    <FoldedCard title={t('settings.limits')} text={t('settings.limits.hint')} class="card-of-table">
      <List
        ask={ask}
        rows={limits}
        keyOf={({ name }) => name}
        columns={[
          {
            key: 'name',
            head: 'settings.limits.name',
            cell: ({ name }) => t(`settings.limit.${name}` as TextName),
          },
          {
            key: 'limit',
            head: 'settings.limits.limit',
            class: 'number',
            cell: ({ name, limit }) => shown(name, limit),
          },
          {
            key: 'used',
            head: 'settings.limits.used',
            class: 'number',
            cell: ({ name, used, limit }) =>
              used === null ? null : (
                <span class="limit-used">
                  <progress max={limit} value={used} aria-hidden="true" />
                  {shown(name, used)}
                </span>
              ),
          },
        ]}
      />
    </FoldedCard>
  )
}

export async function changeVault(ask: Ask): Promise<Reply> {
  const { deps, visit, res, id, sent } = ask
  const vault = await getVault(deps, visit, 'administer', id)
  const body = parseOrRefuse(patchVaultBody, bodyOf(sent, vault))
  const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
  return performAction(ask, action, () =>
    flashAt(deps, res, vaultPath(id), 'vaultSaved', body.name ?? vault.name),
  )
}
