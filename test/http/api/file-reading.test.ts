/** Tests that files are served with safe headers and that every access is recorded. */
import { createHash, randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'
import sharp from 'sharp'
import { describe, expect, test, vi } from 'vitest'
import { findAttachedFile, insertUploadingFile } from '../../../src/db/files/file.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { readChecked } from '../../../src/use-cases/case/file-reading.ts'
import { createApi, PDF, PNG } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { animatedPng, multiPicture } from '../../support/hostile-files.ts'
import { recordOf } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { pdfWith } from '../../support/pdf.ts'
import { createKey, signedIn } from '../../support/people.ts'
import { beginPerson, fillInPerson, openPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, credentials } = gatehouse
const operator = await gatehouse.operator()
const reviewer = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })

const attribute = 'aml_policies'

async function uploaded(file: Blob = PDF, name = 'file.pdf') {
  const kyb = await api.createKyb()
  const { status, body } = await api.upload(kyb, { attribute }, file, name)
  expect(status).toBe(201)
  return { kyb, id: body.id as string }
}

async function fetched(path: string, token: string) {
  const [, base = '', rest = ''] = /^(.*?\/v1)(.*)$/.exec(path) ?? []
  const { status, headers, body } = await createApi(baseUrl + base, token).get(rest)
  return { status, headers, bytes: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) }
}
const byOperator = (id: string, query = '') => fetched(`/operator/v1/files/${id}${query}`, reviewer.token)
const byClient = (kyb: string, id: string, key = credentials.api_key) =>
  fetched(`/v1/kyb/${kyb}/files/${id}`, key)

interface Entry {
  readonly action: string
  readonly actor: string
  readonly file_id: string | null
}
const readings = async (path: string): Promise<Entry[]> =>
  (await operator.get(`${path}/timeline`)).body.data.filter(({ action }: Entry) => action === 'file_read')

test('returns a document unchanged, with headers that stop a browser from running it', async () => {
  const { kyb, id } = await uploaded()
  for (const { status, headers, bytes } of [await byOperator(id), await byClient(kyb, id)]) {
    expect(status).toBe(200)
    expect(bytes).toEqual(Buffer.from(await PDF.arrayBuffer()))
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(PDF.size),
      'content-disposition': 'attachment; filename="file.pdf"; filename*=UTF-8\'\'file.pdf',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
    })
  }
})

test.each([
  ['a "quoted"; name*=x.pdf', 'a _quoted__ name__x.pdf', 'a%20%22quoted%22%3B%20name%2A%3Dx.pdf'],
  ["it's (100%) ünïcode.pdf", 'it_s (100_) _n_code.pdf', 'it%27s%20%28100%25%29%20%C3%BCn%C3%AFcode.pdf'],
  ['日本 👩‍👩‍👧.pdf', '__ ________.pdf', encodeURIComponent('日本 👩‍👩‍👧.pdf')],
])('encodes the file name %s within its parameter', async (name, plain, encoded) => {
  const { id } = await uploaded(PDF, name)
  const disposition = (await byOperator(id)).headers.get('Content-Disposition')
  expect(disposition).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`)
})

describe('images', () => {
  test('are returned without metadata to operators unless they request the original, and unchanged to clients', async () => {
    const picture = await photograph({ artist: 'plantedartist' })
    const { kyb, id } = await uploaded(photoFile(picture), 'scan.png')
    const view = await byOperator(id)
    expect([view.status, view.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])
    expect(view.headers.get('Content-Disposition')).toContain("''scan.jpg")
    expect((await sharp(view.bytes).metadata()).exif).toBeUndefined()
    expect(view.bytes.includes('plantedartist')).toBe(false)
    for (const original of [await byOperator(id, '?original=true'), await byClient(kyb, id)]) {
      expect(original.bytes.equals(picture)).toBe(true)
      // The type follows the bytes, not the file name.
      expect(original.headers.get('Content-Type')).toBe('image/jpeg')
    }
  })

  test('return 422 if they cannot be decoded, but remain available as originals', async () => {
    const { id } = await uploaded(PNG, 'broken.png')
    const refused = await byOperator(id)
    expect(refused.status).toBe(422)
    expect(JSON.parse(refused.bytes.toString()).errors).toMatchObject([
      { code: 'invalid', field: 'original' },
    ])
    expect((await byOperator(id, '?original=true')).bytes).toHaveLength(PNG.size)
    expect((await byOperator(id, '?original=maybe')).status).toBe(422)
  })

  test('are available only to operators if they belong to a person', async () => {
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person)
    const { document_front = '' } = (await recordOf(gatehouse, person.id)).profile
    expect((await byOperator(document_front)).status).toBe(200)
    expect(await readings(`/identifications/${person.id}`)).toMatchObject([{ file_id: document_front }])
    expect((await byClient(person.id, document_front)).status).toBe(404)
  })
})

describe('downloads', () => {
  test('are recorded in the timeline with the reader and the file each time', async () => {
    const { kyb, id } = await uploaded()
    await byOperator(id)
    await byOperator(id, '?original=true')
    await byClient(kyb, id)
    const actors = [/^operator:/, /^operator:/, /^api_key:/].map((actor) => expect.stringMatching(actor))
    const entries = await readings(`/kyb/${kyb}`)
    expect(entries.map(({ actor }) => actor)).toEqual(actors)
    expect(entries.map(({ file_id }) => file_id)).toEqual([id, id, id])
    expect(entries[0]?.actor).toBe(`operator:${reviewer.id}`)
  })

  test('are recorded before the first byte is sent, and fail if they cannot be recorded', async () => {
    const { id } = await uploaded()
    await gatehouse.asOwner(`ALTER TABLE timeline ADD CONSTRAINT nothing CHECK (actor = 'nobody') NOT VALID`)
    const refused = await byOperator(id)
    await gatehouse.asOwner('ALTER TABLE timeline DROP CONSTRAINT nothing')
    expect(refused.status).toBe(500)
    expect(refused.bytes.includes('%PDF')).toBe(false)
  })
})

describe('missing files', () => {
  test('return 404 without a timeline entry if they are not attached', async () => {
    const { kyb, id } = await uploaded()
    await api.put(`/kyb/delete_file/${kyb}`, { blob_key: id, attribute_key: attribute })
    const uploading = unique()
    await insertUploadingFile(gatehouse.db, {
      id: uploading,
      vaultId: gatehouse.vaultId,
      kybApplicationId: kyb,
    })
    for (const each of [id, uploading, unique()]) {
      expect((await byOperator(each)).status).toBe(404)
      expect((await byClient(kyb, each)).status).toBe(404)
    }
    expect((await byOperator('x')).status).toBe(400)
    expect(await readings(`/kyb/${kyb}`)).toEqual([])
  })

  test('return 404 for other applications and vaults, and 403 without the role', async () => {
    const { kyb, id } = await uploaded()
    const other = await addVault(gatehouse)
    expect((await byClient(await api.createKyb(), id)).status).toBe(404)
    expect((await byClient(kyb, id, other.credentials.api_key)).status).toBe(404)
    const theirs = await other.api.createKyb()
    expect((await byClient(theirs, id, other.credentials.api_key)).status).toBe(404)
    const { key } = await createKey(gatehouse, { roles: ['api_write'] })
    expect((await byClient(kyb, id, key)).status).toBe(403)
    expect((await byClient(kyb, id, credentials.read_only_api_key)).status).toBe(200)
    expect(await readings(`/kyb/${kyb}`)).toHaveLength(1)
  })

  test('return 404 if their content is missing', async () => {
    const { kyb, id } = await uploaded()
    await gatehouse.blobs.remove(id)
    expect((await byOperator(id)).status).toBe(404)
    expect(await readings(`/kyb/${kyb}`)).toEqual([])
  })
})

test('serves many downloads at the same time, and returns 503 beyond the limit', async () => {
  const { id } = await uploaded(photoFile(await photograph({ width: 2_000, height: 1_500 })), 'a.jpg')
  const tokens: string[] = []
  while (tokens.length < 12) {
    const { token } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    tokens.push(token)
  }
  // Several operators are necessary, because the number of concurrent requests per operator is limited.
  const read = async (tokens: readonly string[], count: number) => {
    const asked = Array.from({ length: count }, (_, n) =>
      fetched(`/operator/v1/files/${id}`, tokens[n % tokens.length] ?? ''),
    )
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  expect(await read([reviewer.token], 20)).toEqual(Array(20).fill(200))
  expect(new Set(await read(tokens, 120))).toEqual(new Set([200, 503]))
  expect(await read([reviewer.token], 20)).toEqual(Array(20).fill(200))
})

/** A file that is larger than the socket buffers of a connection. */
const LARGE = new Blob(['%PDF-1.4\n', randomBytes(9_900_000)])

/** Sends the requests and reads only the heads of the responses, in the order of the requests. */
async function readSlowly(path: string, keys: readonly string[]) {
  const asked = keys.map((key) =>
    request(baseUrl + path, { headers: { Authorization: key }, agent: false }).on('error', () => {}),
  )
  const answers: IncomingMessage[] = []
  for (const each of asked) {
    each.end()
    answers.push((await once(each, 'response'))[0])
  }
  const end = () => {
    for (const each of asked) each.destroy()
  }
  return { statuses: answers.map(({ statusCode }) => statusCode), answers, end }
}

test('limits a key that does not read the data to 8 downloads, and serves others', async () => {
  const { kyb, id } = await uploaded(LARGE)
  const other = await addVault(gatehouse)
  const theirs = await other.api.createKyb()
  const file = (await other.api.upload(theirs, { attribute }, PDF)).body.id
  const slow = await readSlowly(`/v1/kyb/${kyb}/files/${id}`, Array(12).fill(credentials.api_key))
  expect(slow.statuses).toEqual([...Array(8).fill(200), ...Array(4).fill(503)])
  expect((await byClient(theirs, file, other.credentials.api_key)).status).toBe(200)
  slow.end()
  await eventually(async () => expect((await byClient(kyb, id)).status).toBe(200))
})

test.each(['a key of the vault', 'an operator', 'a key of another vault'])(
  'disconnects one client of the key with the most downloads, and serves %s',
  async (name) => {
    const vaults = [await addVault(gatehouse), await addVault(gatehouse)]
    const slow: Awaited<ReturnType<typeof readSlowly>>[] = []
    const files: { path: string; id: string }[] = []
    for (const { api, credentials } of vaults) {
      const kyb = await api.createKyb()
      const { id } = (await api.upload(kyb, { attribute }, LARGE)).body
      const path = `/v1/kyb/${kyb}/files/${id}`
      files.push({ path, id })
      const keys = [...Array(8).fill(credentials.api_key), ...Array(7).fill(credentials.read_only_api_key)]
      slow.push(await readSlowly(path, keys))
    }
    expect(slow.flatMap(({ statuses }) => statuses)).toEqual(Array(30).fill(200))
    const closed: number[] = []
    for (const [n, answer] of slow.flatMap(({ answers }) => answers).entries())
      answer.on('error', () => closed.push(n))
    const { kyb, id } = await uploaded()
    const [{ path = '', id: theirs = '' } = {}] = files
    const [vault] = vaults
    const read = {
      'a key of the vault': async () =>
        fetched(path, (await createKey(gatehouse, { roles: ['api_read'] }, vault?.vaultId)).key),
      'an operator': () => byOperator(theirs),
      'a key of another vault': () => byClient(kyb, id),
    }[name]
    expect((await read?.())?.status).toBe(200)
    for (const { answers } of slow) for (const answer of answers) answer.resume()
    await eventually(() => expect(closed).toEqual([0]))
    for (const { end } of slow) end()
  },
)

test('disconnects a key of 15 with one download each, and serves an operator', async () => {
  const { api, vaultId } = await addVault(gatehouse)
  const kyb = await api.createKyb()
  const { id } = (await api.upload(kyb, { attribute }, LARGE)).body
  const keys: string[] = []
  while (keys.length < 15) keys.push((await createKey(gatehouse, { roles: ['api_read'] }, vaultId)).key)
  const { statuses, answers, end } = await readSlowly(`/v1/kyb/${kyb}/files/${id}`, keys)
  expect(statuses).toEqual(Array(15).fill(200))
  const closed: number[] = []
  for (const [n, answer] of answers.entries()) answer.on('error', () => closed.push(n))
  expect((await byOperator(id)).status).toBe(200)
  for (const answer of answers) answer.resume()
  await eventually(() => expect(closed).toEqual([0]))
  end()
})

test('does not disconnect the provider, whose links work only a few times', async () => {
  const { id } = await uploaded()
  const file = await findAttachedFile(gatehouse.db, id)
  if (!file) throw new Error('a file')
  const provider = Array.from({ length: 15 }, () =>
    Object.assign(new EventEmitter(), { destroyed: false, headersSent: true, destroy: vi.fn() }),
  )
  for (const each of provider) await readChecked(gatehouse, { actor: 'provider' }, each, file)
  expect((await byOperator(id)).status).toBe(503)
  for (const { destroy } of provider) expect(destroy).not.toHaveBeenCalled()
  for (const each of provider) each.emit('close')
  expect((await byOperator(id)).status).toBe(200)
})

test('frees the slots of clients that disconnect early, and records no access', async () => {
  const { kyb, id } = await uploaded()
  const server = createHttpServer(gatehouse.app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answers: ServerResponse[] = []
  server.on('request', (_req, res) => answers.push(res))
  const locking = postgres(gatehouse.env.DATABASE_URL, { max: 1 })
  await locking.begin(async (tx) => {
    await tx`LOCK TABLE files`
    // The number of requests exceeds the limit.
    const asked = Array.from({ length: 40 }, () =>
      request({
        port: (server.address() as AddressInfo).port,
        path: `/operator/v1/files/${id}`,
        headers: { Authorization: reviewer.token },
        agent: false,
      }),
    )
    for (const each of asked) each.on('error', () => {}).end()
    await eventually(() => expect(answers).toHaveLength(40))
    for (const each of asked) each.destroy()
    await eventually(() => expect(answers.every(({ closed }) => closed)).toBe(true))
  })
  await locking.end()
  // This request waits behind all the others.
  expect((await byOperator(id)).status).toBe(200)
  expect(await readings(`/kyb/${kyb}`)).toHaveLength(1)
  server.close()
})

describe('an upload', () => {
  const blobOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])

  test('with several pictures is stored as its first one', async () => {
    const { first, file } = await multiPicture()
    const { kyb, id } = await uploaded(blobOf(file), 'phone.jpg')
    expect((await byClient(kyb, id)).bytes.equals(first)).toBe(true)
    expect((await byOperator(id, '?original=true')).bytes.equals(first)).toBe(true)
    const { aml_policies } = (await operator.get(`/kyb/${kyb}`)).body.data.usage_of_account
    const sha256 = createHash('sha256').update(first).digest('hex')
    expect(aml_policies).toMatchObject([{ id, sha256, size: first.length, warnings: [] }])
  })

  test('of an animated image is refused and not stored', async () => {
    const kyb = await api.createKyb()
    const { status, body } = await api.upload(kyb, { attribute }, blobOf(await animatedPng()), 'scan.png')
    expect([status, body.errors[0].code]).toEqual([422, 'unsupported_file_type'])
    expect(body.errors[0].message).toContain('animated')
    expect((await api.get(`/kyb/${kyb}`)).body.data.usage_of_account.aml_policies).toEqual([])
  })

  test('of a damaged second file names it to operators', async () => {
    const { kyb } = await uploaded(blobOf(pdfWith('')), 'good.pdf')
    await api.upload(kyb, { attribute }, blobOf(pdfWith('').subarray(0, 200)), 'damaged.pdf')
    const { aml_policies } = (await operator.get(`/kyb/${kyb}`)).body.data.usage_of_account
    expect(aml_policies).toMatchObject([{ warnings: [] }, { name: 'damaged.pdf', warnings: ['unreadable'] }])
    const console = await openConsole(baseUrl, credentials)
    const [, needs = ''] = (await console.text(`/console/kyb/${kyb}`)).split('id="needs"')
    const [summary = ''] = needs.split('</section>')
    expect(summary).toContain('damaged.pdf · This file is damaged or requires a password')
    expect(summary).not.toContain('good.pdf')
  })

  test('of a PDF with a script shows a warning to operators', async () => {
    const script = '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'
    const { kyb } = await uploaded(blobOf(pdfWith(script)))
    const { aml_policies } = (await operator.get(`/kyb/${kyb}`)).body.data.usage_of_account
    expect(aml_policies).toMatchObject([{ warnings: ['scripts'] }])
    const [{ id }] = (await api.get(`/kyb/${kyb}`)).body.data.usage_of_account.aml_policies
    const console = await openConsole(baseUrl, credentials)
    const page = await console.text(`/console/kyb/${kyb}?tab=documents&document=${id}`)
    expect(page).toContain('This PDF contains scripts, which the viewer does not run')
  })
})
