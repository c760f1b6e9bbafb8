// @ts-check
/** Sends forms with files without `fetch`, which does not report the progress. */

/** The timeout, which must exceed the time to receive a file (up to 60 seconds) and to inspect it on the server. */
const TIMEOUT_MS = 75_000

/** @param {number} share */
export const percentText = (share) =>
  new Intl.NumberFormat(document.documentElement.lang, { style: 'percent' }).format(share)

/**
 * Returns null if there is no response.
 * @param {XMLHttpRequest} request
 * @param {FormData} body
 * @param {(share: number) => void} tell
 * @returns {Promise<Response | null>}
 */
export function sendFile(request, body, tell) {
  request.timeout = TIMEOUT_MS
  request.upload.addEventListener('progress', ({ loaded, total }) => tell(loaded / total))
  return new Promise((resolve) => {
    request.addEventListener('loadend', () => {
      const { status, responseText } = request
      const headers = { 'Content-Type': request.getResponseHeader('Content-Type') ?? '' }
      resolve(status === 0 ? null : new Response(responseText, { status, headers }))
    })
    request.send(body)
  })
}
