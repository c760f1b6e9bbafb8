/** Presents an API key to administrators. */
import { apiKeyResponse } from '../../contracts/api-key.ts'
import { presenterOf } from '../../contracts/record.ts'

export const presentApiKey = presenterOf(apiKeyResponse.shape.data)
