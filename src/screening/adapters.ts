/** Creates the screener that the settings select. */
import { createLocalScreener } from './local.ts'
import { OFF, type Screener } from './screener.ts'
import { createYente } from './yente.ts'

interface ScreeningSettings {
  readonly SCREENING: 'off' | 'local' | 'yente'
  readonly SCREENING_THRESHOLD: number
  readonly SCREENING_LIST_DIR: string
  readonly YENTE_URL?: string | undefined
  readonly YENTE_DATASET: string
  readonly YENTE_API_KEY?: string | undefined
}

export function createScreener(settings: ScreeningSettings): Screener {
  const { SCREENING, SCREENING_THRESHOLD: threshold } = settings
  if (SCREENING === 'off') return OFF
  if (SCREENING === 'local') return createLocalScreener({ folder: settings.SCREENING_LIST_DIR, threshold })
  const { YENTE_URL: url = '', YENTE_DATASET: dataset, YENTE_API_KEY: apiKey } = settings
  return createYente({ url, dataset, apiKey, threshold })
}
