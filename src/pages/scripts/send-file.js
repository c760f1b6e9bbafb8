// @ts-check
/** Sends forms with files without `fetch`, which does not report the progress. */

/** The timeout, which must exceed the time to receive a file (up to 60 seconds) and to inspect it on the server. */
const TIMEOUT_MS = 75_000

export const ACCEPTED = ['image/jpeg', 'image/png', 'application/pdf']

/**
 * Returns the text for a file that the server refuses, or undefined if it may accept the file.
 * @param {File} file
 * @param {DOMStringMap} texts the limit and the texts of the place
 * @param {string} accepted
 */
export function refusalOfFile({ name, size, type }, texts, accepted = ACCEPTED.join()) {
  if (size > Number(texts.max)) return texts.tooLarge
  if (type && accepted.includes(type)) return undefined
  // Systems without a decoder for a format report no type. Then, only the name contains the format.
  const file = type || name
  // The message for these formats explains how to change the camera or scanner.
  const format = /[./]hei[cf]$/i.test(file) ? 'heic' : /[./]tiff?$/i.test(file) ? 'tiff' : ''
  return texts[format] ?? (type ? texts.otherKind : undefined)
}

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
