/** Lists the profiles that Gatehouse ships. */
import { DEFAULT_DOCUMENT } from '../document.ts'
import { EU_AMLR } from './eu-amlr.ts'
import type { ShippedName, ShippedProfile } from './profile.ts'
import { UK } from './uk.ts'
import { US } from './us.ts'

const DEFAULT: ShippedProfile = {
  name: 'default',
  state: 'final',
  title: { en: 'Default', de: 'Standard', pl: 'Domyślny' },
  about: {
    en: 'The specified fields only',
    de: 'Nur die vorgegebenen Felder',
    pl: 'Tylko określone pola',
  },
  document: DEFAULT_DOCUMENT,
  sources: {},
}

export const SHIPPED: Readonly<Record<ShippedName, ShippedProfile>> = {
  default: DEFAULT,
  'eu-amlr': EU_AMLR,
  uk: UK,
  us: US,
}
