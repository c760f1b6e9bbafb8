/** Component: the inputs for a vault's name, features and review rules. */

import { FOUR_EYES } from '../../../domain/access/review-policy.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { HIGH_RISK_COUNTRIES } from '../../../domain/decision/risk.ts'
import { REVIEW_TARGET_HOURS } from '../../../domain/review/review-target.ts'
import { Card } from '../../components/card.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { Sent } from '../../values/form-values.ts'
import {
  Checkboxes,
  chosenOf,
  type FormState,
  InitialValues,
  Input,
  isChanged,
  labelOf,
  textOf,
} from './form.tsx'

const INTEGER = /^\d+$/
/** A number with a decimal point or a comma. */
const DECIMAL = /^\d*[.,]?\d+$/

/** The property of a vault for each feature. */
const FEATURES = {
  import_enabled: 'importEnabled',
  internal_settlements_enabled: 'internalSettlementsEnabled',
  send_traceparent: 'sendTraceparent',
} as const
type Feature = keyof typeof FEATURES
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]

/** Returns the entered values in the format of the API. `vault` contains the current values. */
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
    // Passes on a text that is not a number, so that the schema refuses it.
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
  const { t } = frame
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
      <Card id="general-title" title={t('settings.general')}>
        <Input {...about} name="name" value={vault?.name ?? null} required />
        <Checkboxes
          {...about}
          name="features"
          options={FEATURE_NAMES.map((value) => ({ value, label: labelOf(t, value) }))}
          chosen={featuresOf(vault)}
        />
        <Input
          {...about}
          name="trading_fee"
          value={String(vault?.tradingFee ?? 0)}
          inputMode="decimal"
          hint={t('settings.trading_fee.hint')}
          required
        />
      </Card>
      <Card id="rules-title" title={t('settings.rules')}>
        <Checkboxes
          {...about}
          name="four_eyes"
          hint={t('settings.four_eyes.hint')}
          options={FOUR_EYES.map((value) => ({ value, label: labelOf(t, value) }))}
          chosen={vault?.fourEyes ?? []}
        />
        <Input
          {...about}
          name="high_risk_countries"
          value={countries}
          hint={t('settings.high_risk_countries.hint')}
        />
        <Input
          {...about}
          name="review_target_hours"
          value={String(vault?.reviewTargetHours ?? REVIEW_TARGET_HOURS.default)}
          inputMode="numeric"
          hint={t('settings.review_target_hours.hint')}
          required
        />
      </Card>
    </>
  )
}
