/** Fills in applications for the demo's company through an instance's API, for benchmarks and screenshots. */
import type { Instance } from '../instance.ts'
import { type Document, SECTIONS } from './company.ts'

/** Calls the API and returns the response. Throws if the status is not 2xx. */
export async function callApi<T>(
  { base_url, api_key }: Instance,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const isForm = body instanceof FormData
  const response = await fetch(base_url + path, {
    method,
    headers: { Authorization: api_key, ...(!isForm && { 'Content-Type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`)
  return (await response.json()) as T
}

export async function createKyb(
  instance: Instance,
  externalId: string,
): Promise<{ id: string; password: string }> {
  const { data, generated_password: password } = await callApi<{
    data: { id: string }
    generated_password: string
  }>(instance, 'POST', '/kyb', { external_id: externalId })
  return { id: data.id, password }
}

/** Creates an application with all sections, without documents. */
export async function createFilledKyb(
  instance: Instance,
  externalId: string,
): Promise<{ id: string; password: string }> {
  const created = await createKyb(instance, externalId)
  for (const section of SECTIONS) await callApi(instance, 'PATCH', `/kyb/${created.id}`, section)
  return created
}

/** Uploads a document and returns the ID of the file. */
export async function uploadDocument(
  instance: Instance,
  kybId: string,
  { attribute, name, type, bytes, email }: Document,
): Promise<string> {
  const form = new FormData()
  form.set('attribute', attribute)
  if (email) form.set('email', email)
  form.set('file', new File([new Uint8Array(bytes)], name, { type }))
  return (await callApi<{ id: string }>(instance, 'POST', `/kyb/upload_file/${kybId}`, form)).id
}

/** Returns the URL of a new link to the form, at the address that the instance listens on. */
export async function createFormUrl(instance: Instance, kybId: string): Promise<string> {
  const { data } = await callApi<{ data: { url: string } }>(instance, 'POST', `/kyb/${kybId}/form_link`, {})
  return new URL(new URL(data.url).pathname, instance.base_url).href
}
