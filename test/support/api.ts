/**
 * A client of the API for tests. Each call returns the status, the headers and the body, and fails if the
 * OpenAPI document does not describe the response.
 */

import { expect } from 'vitest'
import { checkerFor } from './contract.ts'
import { pdfOf } from './pdf.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
type Body = any

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Api = ReturnType<typeof createApi>

/** Returns the parsed JSON, or a file's bytes. */
async function bodyOf(response: Response): Promise<Body> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const isFile = response.headers.has('Content-Disposition')
  return isFile ? bytes : bytes.length === 0 ? null : JSON.parse(bytes.toString())
}

function uploadForm(fields: Record<string, string>, file: Blob | null, name = 'file.pdf'): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (file) form.append('file', file, name)
  return form
}

export function createApi(url: string, token: string) {
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const json = body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }
    const response = await fetch(url + path, {
      method,
      headers: { ...(token && { Authorization: token }), ...json, ...headers },
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData || typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer = { status: response.status, headers: response.headers, body: await bodyOf(response) }
    const wrong = (await checkerFor(url))?.(method, path, answer)
    if (wrong) throw new Error(`${method} ${path} answers otherwise than it documents: ${wrong}`)
    return answer as ApiResponse
  }
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, body),
    put: (path: string, body?: unknown) => send('PUT', path, body),
    patch: (path: string, body?: unknown) => send('PATCH', path, body),
    delete: (path: string) => send('DELETE', path),
    /** Uploads a small file. */
    upload: (kybId: string, fields: Record<string, string>, file: Blob | null = PDF, name?: string) =>
      send('POST', `/kyb/upload_file/${kybId}`, uploadForm(fields, file, name)),
    /** Uploads a document of a person. */
    uploadOfPerson: (id: string, attribute: string, file: Blob | null = PDF, headers = {}) =>
      send('POST', `/identifications/${id}/files`, uploadForm({ attribute }, file), headers),
    /** Creates an application and returns its ID. */
    createKyb: async (externalId: string = crypto.randomUUID(), sections: object = {}): Promise<string> => {
      const { status, body } = await send('POST', '/kyb', { external_id: externalId, ...sections })
      expect(status).toBe(201)
      return body.data.id
    },
  }
}

export const PDF = new Blob([new Uint8Array(pdfOf('Document'))])
export const PNG = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])])
