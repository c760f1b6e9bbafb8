/** Sends requests to the OpenID provider, and limits the time and size of its responses. */

/** Thrown if the provider failed or did not respond in time. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** Short enough for a page to report the failure within 5 seconds. */
export const DEADLINE_MS = 4_000
/** Much larger than the metadata or the keys of any provider. */
const MAX_BYTES = 1_000_000

export type Fetch = (url: string, options?: object) => Promise<Response>

/**
 * Returns a function that sends requests, which all share one deadline. The function throws ProviderUnavailable if a
 * request fails.
 */
export function fetchUntil(deadline: AbortSignal): Fetch {
  return async (url, options: RequestInit = {}) => {
    const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])])
    try {
      const response = await fetch(url, { ...options, signal })
      const body = await readLimited(response)
      if (response.status >= 500) throw new ProviderUnavailable(`the status is ${response.status}`)
      const { status, headers } = response
      return new Response(body.length > 0 ? body : null, { status, headers })
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error
      throw new ProviderUnavailable('the provider does not respond', { cause: error })
    }
  }
}

async function readLimited({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new ProviderUnavailable('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns true if the error or one of its causes is ProviderUnavailable. */
export const isProviderUnavailable = (error: unknown): boolean =>
  error instanceof ProviderUnavailable ||
  (error instanceof Error && error.cause !== undefined && isProviderUnavailable(error.cause))
