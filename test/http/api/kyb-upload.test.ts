/** Tests `POST /kyb/upload_file/{id}`: accepted files, and refusals that leave nothing behind. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { files } from '../../../drizzle/schema.ts'
import { type Api, PDF, PNG } from '../../support/api.ts'
import { blobFolderOf, expectErrors, expectRefusal, settled, tracesOf } from '../../support/checks.ts'
import { cameraFiles, tableBomb } from '../../support/hostile-files.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'
import { pdfOf as pdfWith } from '../../support/pdf.ts'
import { photograph } from '../../support/photo.ts'

const JPEG = new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16])])
const MEGABYTE = 1024 * 1024
const pdfOf = (size: number) => new Blob([PDF, new Uint8Array(size - PDF.size)])
const TOMORROW = new Date(Date.now() + 86_400_000)
const ATTRIBUTE = { attribute: 'legal_structures' }

let id: string
const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse
const create = async () => {
  id = await api.createKyb(unique(), completeSections())
}

const listOf = async (attribute = ATTRIBUTE.attribute) =>
  (await api.get(`/kyb/${id}`)).body.data.business_files[attribute]
const send = (form: FormData) => api.post(`/kyb/upload_file/${id}`, form)
const formOf = (...parts: [string, string | Blob, string?][]) => {
  const form = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, filename ?? 'file.pdf')
  }
  return form
}

describe('POST /kyb/upload_file/{id}', () => {
  beforeEach(create)

  test.each([
    ['PDF', PDF, 'application/pdf', 'structure.pdf'],
    ['PNG', PNG, 'image/png', 'structure.png'],
    ['JPEG', JPEG, 'image/jpeg', 'structure.jpg'],
  ])('stores a %s unchanged, and attaches it', async (_, file, contentType, name) => {
    const answer = await api.upload(id, ATTRIBUTE, file, 'structure.bin')
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ name, id: expect.any(String) })
    expect(await listOf()).toEqual([answer.body])
    expect(await gatehouse.blobs.read(answer.body.id)).toEqual(Buffer.from(await file.arrayBuffer()))
    const [row] = await gatehouse.db.orm.select().from(files).where(eq(files.id, answer.body.id))
    expect(row).toMatchObject({ state: 'attached', contentType, sizeBytes: file.size })
  })

  test('accepts the attribute before or after the file', async () => {
    const before = await send(formOf(['attribute', 'legal_structures'], ['file', PDF]))
    const after = await send(formOf(['file', PDF], ['attribute', 'legal_structures']))
    expect([before.status, after.status]).toEqual([201, 201])
    expect(await listOf()).toEqual([before.body, after.body])
  })

  test('accepts exactly 10 MB', async () => {
    const { status, body } = await api.upload(id, ATTRIBUTE, pdfOf(10 * MEGABYTE))
    expect(status).toBe(201)
    expect((await gatehouse.blobs.read(body.id)).length).toBe(10 * MEGABYTE)
  })

  test('attaches a beneficiary’s document by case-insensitive email', async () => {
    const { body } = await api.upload(id, { attribute: 'proof_address', email: UBO.toUpperCase() })
    const { beneficiaries } = (await api.get(`/kyb/${id}`)).body.data
    expect(beneficiaries.beneficiaries_list[0].proof_address).toEqual([body])
  })

  test('attaches a beneficiary’s document by external_id', async () => {
    const [ada] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
    const { external_id } = ada
    const { status, body } = await api.upload(id, { attribute: 'beneficiary_identification', external_id })
    expect(status).toBe(201)
    const { beneficiaries, requirements } = (await api.get(`/kyb/${id}`)).body.data
    expect(beneficiaries.beneficiaries_list[0].beneficiary_identification).toEqual([body])
    expect(JSON.stringify(requirements.currently_due)).not.toContain(external_id)
  })

  test('keeps an unreadable document, which does not meet the requirement', async () => {
    const path = 'business_files.articles_of_association'
    const [attribute] = path.split('.').slice(1)
    const picture = new Uint8Array(await photograph())
    const reasonAfter = async (...bytes: BlobPart[]) => {
      for (const each of bytes)
        expect((await api.upload(id, { attribute: attribute ?? '' }, new Blob([each]))).status).toBe(201)
      const { reasons } = (await api.get(`/kyb/${id}`)).body.data.requirements
      return reasons.find((each: { path: string }) => each.path === path)?.code
    }
    expect(await reasonAfter()).toBe('no_document')
    expect(await reasonAfter('%PDF-1.4\n', picture.subarray(0, picture.length / 2))).toBe('unreadable')
    expect(await reasonAfter(picture)).toBeUndefined()
    await api.patch(`/kyb/${id}`, { business_files: { [attribute ?? '']: null } })
    expect(await reasonAfter(new Uint8Array(pdfWith('Articles')))).toBeUndefined()
  })

  test('keeps a document that takes too much memory, as an unreadable one', async () => {
    const bomb = new Blob([new Uint8Array(tableBomb())])
    expect((await api.upload(id, { attribute: 'articles_of_association' }, bomb)).status).toBe(201)
    const { reasons } = (await api.get(`/kyb/${id}`)).body.data.requirements
    const path = 'business_files.articles_of_association'
    expect(reasons).toContainEqual(expect.objectContaining({ path, code: 'unreadable' }))
  })

  test('opens an image of 1 by 65,535 pixels without enlarging it', async () => {
    const raw = { width: 1, height: 65_535, channels: 1 } as const
    const tower = await sharp(Buffer.alloc(raw.height), { raw }).png().toBuffer()
    // Enlarging it would take longer than the decoder may.
    expect((await api.upload(id, ATTRIBUTE, new Blob([new Uint8Array(tower)]))).status).toBe(201)
    const stored = await gatehouse.db.orm.select().from(files).where(eq(files.kybApplicationId, id))
    expect(stored.map(({ readable }) => readable)).toEqual([true])
  })

  test('decodes images of other applications and vaults before the last ones of a long series from one application', async () => {
    const raw = { width: 4_000, height: 4_000, channels: 4 } as const
    const sky = sharp(Buffer.alloc(4 * raw.width * raw.height), { raw }).png({ progressive: true })
    const large = new Blob([new Uint8Array(await sky.toBuffer())])
    const other = await addVault(gatehouse)
    const [sameVault, otherVault] = [await api.createKyb(), await other.api.createKyb()]
    const answered: string[] = []
    const upload = async (what: string, by: Api, kybId: string, picture: Blob) => {
      const { status } = await by.upload(kybId, ATTRIBUTE, picture)
      // On a busy machine, the last ones of the series wait for a decoder longer than they may.
      expect(what === 'many' ? [201, 503] : [201]).toContain(status)
      if (status === 201) answered.push(what)
    }
    const small = new Blob([new Uint8Array(await photograph())])
    const many = Array.from({ length: 6 }, () => upload('many', api, id, large))
    // One image has been decoded, and the others wait.
    await Promise.race(many)
    await Promise.all([
      ...many,
      upload('same vault', api, sameVault, small),
      upload('other vault', other.api, otherVault, small),
    ])
    for (const what of ['same vault', 'other vault']) expect(answered.indexOf(what)).toBeLessThan(6)
  })

  test('attaches all concurrent uploads', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.upload(id, ATTRIBUTE)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(await listOf()).toHaveLength(8)
  })

  test.each([
    ['Gründung ☂ 設立.pdf', 'Gründung ☂ 設立.pdf'],
    ['../../etc/passwd', 'passwd.pdf'],
    ['statement.pdf.bat', 'statement.pdf'],
    ['=?UTF-8?B?TcO8bGxlci5wZGY=?=', 'Müller.pdf'],
    ['=?utf-8?b?Pz8/L3Nww7ZyLnBkZg==?=', 'spör.pdf'],
    ['C:\\Users\\ada\\scan.pdf', 'scan.pdf'],
    ['a\r\nb\n.pdf', 'ab.pdf'],
    ['right-to-left \u202efdp.exe', 'right-to-left fdp.pdf'],
    ['a"b.pdf', 'a"b.pdf'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(196)}.pdf`],
    ['   ', 'file.pdf'],
  ])('shows the file name %j as %j, and never as a path', async (given, shown) => {
    const { status, body } = await api.upload(id, ATTRIBUTE, PDF, given)
    expect(status).toBe(201)
    expect(body.name).toBe(shown)
    expect(await listOf()).toEqual([body])
    const { blobs } = await tracesOf(gatehouse, id)
    expect(blobs.some((path) => path.endsWith(`/${body.id}`))).toBe(true)
  })
})

describe('a name in the header of a part', () => {
  beforeAll(create)

  const content = Buffer.from(pdfWith('Statement'))
  const uploadAs = (disposition: string, encoding: BufferEncoding = 'utf8', name = 'attribute') => {
    const header = (text: string) =>
      Buffer.from(`--x\r\nContent-Disposition: form-data; ${text}\r\n\r\n`, encoding)
    const end = Buffer.from('\r\n')
    const file = [header(`name="file"; ${disposition}`), content, end]
    const body = Buffer.concat([
      ...file,
      header(`name="${name}"`),
      Buffer.from('legal_structures\r\n--x--\r\n'),
    ])
    const headers = {
      Authorization: gatehouse.credentials.api_key,
      'Content-Type': 'multipart/form-data; boundary=x',
    }
    return fetch(`${gatehouse.baseUrl}/v1/kyb/upload_file/${id}`, { method: 'POST', headers, body })
  }

  test.each([
    ['in UTF-8', 'filename="Gründung ☂.pdf"', 'utf8', 'Gründung ☂.pdf'],
    ['in Latin-1', 'filename="Gründung.pdf"', 'latin1', 'Gründung.pdf'],
    [
      'as a header value in UTF-8',
      "filename*=UTF-8''Gr%C3%BCndung%20%E2%98%82.pdf",
      'utf8',
      'Gründung ☂.pdf',
    ],
    ['as a header value in Latin-1', "filename*=iso-8859-1''Gr%FCndung.pdf", 'utf8', 'Gründung.pdf'],
    ['as both', 'filename="a.pdf"; filename*=UTF-8\'\'%C3%BC.pdf', 'utf8', 'ü.pdf'],
    ['as encoded words', 'filename="=?utf-8?q?Gr=C3=BC?= =?utf-8?q?ndung=2Epdf?="', 'utf8', 'Gründung.pdf'],
    ['with another ending', 'filename="statement.pdf.bat"', 'utf8', 'statement.pdf'],
  ] as const)('is decoded %s', async (_, disposition, encoding, name) => {
    const response = await uploadAs(disposition, encoding)
    const { id: file } = (await listOf()).at(-1)
    expect(await response.json()).toEqual({ name, id: file })
    const operator = await gatehouse.operator()
    for (const answer of [await api.get(`/kyb/${id}/files/${file}`), await operator.get(`/files/${file}`)])
      expect(decodeURIComponent(answer.headers.get('Content-Disposition') ?? '')).toContain(`''${name}`)
  })

  test.each([
    ['utf8', 'größe'],
    ['latin1', 'größe'],
  ] as const)('is the field of a problem (%s)', async (encoding, field) => {
    const response = await uploadAs('filename="a.pdf"', encoding, field)
    expect(response.status).toBe(422)
    expect(JSON.stringify(await response.json())).toContain(`"${field}"`)
  })
})

describe('a refused POST /kyb/upload_file/{id}', () => {
  beforeAll(create)

  const refused = (
    answer: () => ReturnType<Api['upload']>,
    status: number,
    ...codes: Parameters<typeof expectRefusal>[4][]
  ) => expectRefusal(gatehouse, id, answer, status, ...codes)

  test.each([
    ['a text', new Blob(['hello, this is a text'])],
    ['HTML with a PDF header', new Blob(['<html>%PDF-1.4</html>'])],
    ['an empty file', new Blob([])],
    ['a file shorter than any signature', new Blob(['%PD'])],
    ['half a PNG signature', new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])])],
  ])('returns 422 unsupported_file_type for %s', (_, file) =>
    refused(() => api.upload(id, ATTRIBUTE, file), 422, { code: 'unsupported_file_type', field: 'file' }),
  )
  test.each([
    ['heic', cameraFiles.heic, 'Most Compatible'],
    ['tiff', cameraFiles.tiff, 'PDF or JPEG'],
    ['empty', Buffer.alloc(0), 'empty'],
  ])('names the remedy for a file in another format (%s)', async (_, bytes, says) => {
    const { status, body } = await api.upload(id, ATTRIBUTE, new Blob([new Uint8Array(bytes)]))
    expect([status, body.errors]).toEqual([
      422,
      [{ code: 'unsupported_file_type', field: 'file', message: expect.stringContaining(says) }],
    ])
  })
  test('returns 413 for 10 MB and one byte', () =>
    refused(() => api.upload(id, ATTRIBUTE, pdfOf(10 * MEGABYTE + 1)), 413, 'file_too_large'))
  test('returns 422 without a file', () =>
    refused(() => api.upload(id, ATTRIBUTE, null), 422, { code: 'required', field: 'file' }))
  test('returns 422 with both fields if the file and the attribute are missing', () =>
    refused(
      () => send(formOf()),
      422,
      { code: 'required', field: 'file' },
      { code: 'required', field: 'attribute' },
    ))
  test('returns 422 without an attribute', () =>
    refused(() => api.upload(id, {}), 422, { code: 'required', field: 'attribute' }))
  test.each(['nothing', 'signature_type', 'beneficiaries_list', '', '__proto__'])(
    'returns 422 for the attribute %j',
    (attribute) => refused(() => api.upload(id, { attribute }), 422, { code: 'invalid', field: 'attribute' }),
  )
  test('returns 422 for an unknown field', () =>
    refused(() => api.upload(id, { ...ATTRIBUTE, more: 'x' }), 422, { code: 'unknown_field', field: 'more' }))
  test('returns 422 for a beneficiary’s attribute without an email', () =>
    refused(() => api.upload(id, { attribute: 'proof_address' }), 422, { code: 'required', field: 'email' }))
  test('returns 422 if no beneficiary has the email', () =>
    refused(() => api.upload(id, { attribute: 'proof_address', email: 'bob@example.com' }), 422, {
      code: 'unknown_beneficiary',
      field: 'email',
    }))
  test('returns 422 if no beneficiary has the external_id', () =>
    refused(() => api.upload(id, { attribute: 'proof_address', external_id: unique() }), 422, {
      code: 'unknown_beneficiary',
      field: 'external_id',
    }))
  test('returns 422 if the beneficiary is named by email and external_id', () =>
    refused(() => api.upload(id, { attribute: 'proof_address', email: UBO, external_id: unique() }), 422, {
      code: 'invalid',
      field: 'email',
    }))
  test('returns 422 for an email if the attribute does not belong to a beneficiary', () =>
    refused(() => api.upload(id, { ...ATTRIBUTE, email: UBO }), 422, {
      code: 'unknown_field',
      field: 'email',
    }))
  test('returns 422 if the file is in another field', () =>
    refused(() => send(formOf(['attribute', 'legal_structures'], ['document', PDF])), 422, 'unknown_field'))
  test('returns 422 for two files', () =>
    refused(
      () => send(formOf(['file', PDF], ['file', PNG], ['attribute', 'legal_structures'])),
      422,
      'too_many',
    ))
  test('returns 400 for a file name with control characters', () =>
    refused(() => api.upload(id, ATTRIBUTE, PDF, 'a\u0000b\u001b[31m.pdf'), 400, 'malformed_request'))
  test.each(['//', '..', '../../..'])('returns 422 if the file name is only a path (%s)', (name) =>
    refused(() => api.upload(id, ATTRIBUTE, PDF, name), 422, { code: 'required', field: 'file' }),
  )
  const partOf = (headers: string, content: string) => `--x\r\n${headers}\r\n\r\n${content}\r\n`
  const sendParts = (...parts: string[]) =>
    api.send('POST', `/kyb/upload_file/${id}`, `${parts.join('')}--x--\r\n`, {
      'Content-Type': 'multipart/form-data; boundary=x',
    })
  const dispositionOf = (field: string, more = '') =>
    `Content-Disposition: form-data; name="${field}"${more && `\r\n${more}`}`
  const attributePart = partOf(dispositionOf('attribute'), 'legal_structures')
  const content = { short: '%PDF-1.7 %%EOF', long: `%PDF-1.7 ${'x'.repeat(5_000)} %%EOF` }
  test.each([
    ...['', 'Content-Type: application/pdf', 'Content-Type: image/png', 'Content-Type: text/plain'],
    ...['Content-Type: application/octet-stream', 'content-type: APPLICATION/PDF; x=y'],
  ])('returns 422 with the missing file name for a file part with %j', async (type) => {
    for (const each of Object.values(content)) {
      const file = partOf(dispositionOf('file', type), each)
      for (const parts of [
        [file, attributePart],
        [attributePart, file],
      ]) {
        const ask = () => sendParts(...parts)
        await refused(ask, 422, { code: 'required', field: 'file' })
        expect((await ask()).body.errors[0].message).toMatch(
          type === '' || type.endsWith('text/plain')
            ? /^Send the file itself/
            : /^The part has no file name\./,
        )
      }
    }
  })
  test.each([
    ['attribute', 'legal_structures'],
    ['email', UBO],
    ['external_id', unique()],
    ['unknown', 'text'],
  ])('returns 422 with the cause if %s is not sent as plain text', async (field, value) => {
    const file = partOf(`${dispositionOf('file')}; filename="a.pdf"`, content.long)
    const binary = partOf(dispositionOf(field, 'Content-Type: application/octet-stream'), value)
    const json = partOf(dispositionOf(field, 'Content-Type: application/json'), JSON.stringify(value))
    for (const [part, message] of [
      [binary, 'This field is text. Send it as text/plain, or without a Content-Type.'],
      [json, 'This field is text, not JSON. Send it without quotation marks.'],
    ] as const) {
      for (const parts of [
        [file, part],
        [part, file],
      ]) {
        const ask = () => sendParts(...parts)
        await refused(ask, 422, { code: 'invalid', field })
        expect((await ask()).body.errors).toEqual([{ code: 'invalid', field, message }])
      }
    }
  })
  test('returns 415 for JSON', () =>
    refused(() => api.post(`/kyb/upload_file/${id}`, ATTRIBUTE), 415, 'unsupported_media_type'))
  test('returns 415 without a body', () =>
    refused(() => api.post(`/kyb/upload_file/${id}`), 415, 'unsupported_media_type'))
  test.each(['multipart/form-data', 'multipart/form-data; boundary=x'])(
    'returns 400 for a malformed form (%s)',
    (type) =>
      refused(
        () => api.send('POST', `/kyb/upload_file/${id}`, 'no form', { 'Content-Type': type }),
        400,
        'malformed_request',
      ),
  )
  test('returns 400 for a form that ends in the middle of the file', () => {
    const text =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4 and then'
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    return refused(() => api.send('POST', `/kyb/upload_file/${id}`, text, headers), 400, 'malformed_request')
  })
  test('returns 422 if the application has 1,000 files, including those removed within the last day', async () => {
    const removed = { kybApplicationId: id, name: Buffer.alloc(1), state: 'detached' as const }
    const rows = Array.from({ length: 1_000 }, () => ({ ...removed, id: unique(), keptUntil: TOMORROW }))
    const { orm } = gatehouse.db
    await orm.insert(files).values(rows)
    expectErrors(await api.upload(id, ATTRIBUTE), { code: 'too_many', field: 'file' })
    await orm.delete(files).where(eq(files.id, rows[0]?.id ?? ''))
    expect((await api.upload(id, ATTRIBUTE)).status).toBe(201)
    expectErrors(await api.upload(id, ATTRIBUTE), { code: 'too_many', field: 'file' })
    await orm.delete(files).where(eq(files.state, 'detached'))
  })
  test('returns 403 if the application is processed', async () => {
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    await refused(() => api.upload(id, ATTRIBUTE), 403, 'kyb_processed')
  })
})

describe('an upload that the client aborts', () => {
  beforeAll(create)

  /** Sends the beginning of a form and keeps the connection open. */
  async function begin(): Promise<ClientRequest> {
    const upload = request(`${gatehouse.baseUrl}/v1/kyb/upload_file/${id}`, {
      method: 'POST',
      headers: {
        Authorization: gatehouse.credentials.api_key,
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': 2 * MEGABYTE,
      },
    })
    upload.on('error', () => undefined)
    upload.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4')
    upload.write(Buffer.alloc(200_000))
    await once(upload, 'socket')
    return upload
  }

  test('leaves neither a row nor a blob', async () => {
    await api.patch(`/kyb/${id}`, {})
    await settled(gatehouse, id)
    const before = await tracesOf(gatehouse, id)
    const upload = await begin()
    // Gatehouse inserts the row before it writes the first byte of the blob.
    await eventually(async () =>
      expect((await tracesOf(gatehouse, id)).blobs.length).toBe(before.blobs.length + 1),
    )
    expect((await tracesOf(gatehouse, id)).files).toBe(1)
    upload.destroy()
    await eventually(async () => expect(await tracesOf(gatehouse, id)).toEqual(before))
  })
})

test('returns 503 and stores nothing if the file directory is not mounted', async () => {
  await create()
  const folder = blobFolderOf(gatehouse.config)
  const operator = await gatehouse.operator()
  const kept = await api.upload(id, ATTRIBUTE)
  const content = () => operator.get(`/files/${kept.body.id}`)
  expect((await content()).status).toBe(200)
  await settled(gatehouse, id)
  renameSync(folder, `${folder}-elsewhere`)
  mkdirSync(folder)
  for (const ask of [() => api.upload(id, ATTRIBUTE), content]) {
    const answer = await ask()
    expectErrors(answer, 'service_unavailable')
    expect(answer.headers.get('Retry-After')).toBe('1')
  }
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
  renameSync(`${folder}-elsewhere`, folder)
  expect((await content()).status).toBe(200)
  expect(await listOf()).toEqual([kept.body])
})
