/** Tests that pages without scripts complete random profiles, and that an erasure leaves nothing of their answers. */
import fc from 'fast-check'
import { parse } from 'node-html-parser'
import { afterAll, expect, test } from 'vitest'
import { transaction } from '../../../src/db/connection/database.ts'
import { setLegalHold } from '../../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { DOCUMENT_SECTION, PERSON_SECTION, type ProfileRow } from '../../../src/domain/profile/document.ts'
import { blobFolderOf, blobsIn } from '../../support/checks.ts'
import { dumpSealed, dumpTables } from '../../support/dump.ts'
import { conclude, eraseHere } from '../../support/erasure.ts'
import { sentFields } from '../../support/form.ts'
import { companyPages, sendForm } from '../../support/hosted-page.ts'
import { addVault, startInstance } from '../../support/instance.ts'
import { completeApplication, UBO } from '../../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'
import { createPlants, foundIn } from '../../support/plants.ts'
import { documentOf, profilesOf, type Row, row, text } from '../../support/profile.ts'
import { answerTo, rowsIn, type Sections } from '../../support/random-profile.ts'

// This test needs a separate instance, because it searches everything that is stored.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const RUNS = { numRuns: 3 }
const ROUNDS = 15
let plants = createPlants()
const photo = photoFile(await photograph())

/** Returns a vault that asks these questions. */
async function vaultAsking(...rows: readonly (readonly ProfileRow[])[]) {
  const vault = await addVault(gatehouse)
  const published = await (await profilesOf(vault)).publish(
    documentOf(...(rows as unknown as readonly (readonly Row[])[])),
  )
  return published.status === 200 || published.status === 201 ? vault : null
}

type Send = (path: string, form?: object | BodyInit) => Promise<Response>

/** The answers of an applicant to the questions of a page. */
interface Page {
  readonly html: string
  /** The path of the page, without its fragment. */
  readonly path: string
}

/** Returns the value of an answer as forms send it. */
const sentValues = (value: unknown): string[] => [value].flat().map(String)

/** Answers the questions on a page, and sends its form as a browser without scripts does. */
async function answer(send: Send, { html, path }: Page, names: ReadonlyMap<string, ProfileRow>) {
  const root = parse(html)
  const files = [...names].filter(([, { type }]) => type === 'files')
  for (const [name] of files) {
    const attribute = name.replace(/^.*\.(?=additional\.)/, '')
    const action = root
      .querySelectorAll('form[enctype]')
      .map((form) => form.getAttribute('action') ?? '')
      .find((each) => each.endsWith(`/files/${attribute}`))
    expect(action, name).toBeDefined()
    const form = new FormData()
    form.set('_csrf', csrfOf(html))
    form.set('file', photo, `${plants.text(`file name of ${name}`)}.jpg`)
    expect((await send(action ?? '', form)).status, name).toBe(303)
  }
  const typed = [...names].filter(([, { type }]) => type !== 'files')
  if (typed.length === 0) return
  for (const [name] of typed) {
    const input = root.querySelector(`[name="${name}"]`)
    expect(input, name).not.toBeNull()
    expect(input?.closest('[hidden]') ?? null, name).toBeNull()
  }
  // A page about the documents of an owner also has the form of its section.
  const actionOf = (name: string) =>
    root.querySelector(`[name="${name}"]`)?.closest('form')?.getAttribute('action') ?? path
  for (const action of new Set(typed.map(([name]) => actionOf(name)))) {
    const others = sentFields(html, action).filter(([name]) => !names.has(name))
    const answers = typed
      .filter(([name]) => actionOf(name) === action)
      .flatMap(([name, row]) =>
        sentValues(answerTo(row as never, plants.text(name))).map((value): [string, string] => [name, value]),
      )
    const body = new URLSearchParams([['_csrf', csrfOf(html)], ...others, ...answers])
    const sent = await send(action, body)
    expect([sent.status, await sent.text()]).toEqual([303, expect.anything()])
  }
}

const csrfOf = (html: string): string =>
  parse(html).querySelector('[name=_csrf]')?.getAttribute('value') ?? ''
const leftIn = async () =>
  foundIn(plants, `${await dumpTables(gatehouse.db)}\n${await dumpSealed(gatehouse.db)}`)

const stored = () => blobsIn(blobFolderOf(gatehouse.config))

/** Returns the rows with names that differ from those of the company. */
const renamed = (rows: readonly ProfileRow[]): readonly ProfileRow[] =>
  JSON.parse(JSON.stringify(rows).replaceAll('"additional.f', '"additional.b'))

const COMPANY: Sections = ['nature_of_business', 'usage_of_account', 'beneficiaries', 'business_files']

test('pages without scripts complete each profile of companies, and an erasure leaves no answer', async () => {
  const rowsOfAll = fc.tuple(rowsIn(COMPANY, 7), rowsIn([PERSON_SECTION], 3))
  await fc.assert(
    fc.asyncProperty(rowsOfAll, async ([company, beneficiary]) => {
      plants = createPlants()
      const ofBeneficiary = renamed(beneficiary)
      const vault = await vaultAsking(company, ofBeneficiary)
      fc.pre(vault !== null)
      if (!vault) return
      const before = stored()
      const pages = companyPages({ ...gatehouse, api: vault.api })
      const { id, base, headers } = await pages.openComplete()
      const send: Send = (path, form) => pages.send(path, form, headers)
      const rowAt = (path: string) =>
        [...company, ...ofBeneficiary].find((row) => path.endsWith(row.path)) as ProfileRow
      const read = async () => (await vault.api.get(`/kyb/${id}`)).body.data
      for (let round = 0; round < ROUNDS; round++) {
        const due: string[] = (await read()).requirements.currently_due
        if (due.length === 0) break
        const check = parse(await (await send(`${base}/check`)).text())
        // The page links to the first missing answer of each group.
        const links = check.querySelectorAll('a[href]').map((a) => a.getAttribute('href')?.split('#') ?? [])
        const linked = links.flatMap(([page = '', path = '']) => (due.includes(path) ? [page] : []))
        expect(linked.length, due.join()).toBeGreaterThan(0)
        for (const path of new Set(linked)) {
          const html = await (await send(path)).text()
          const root = parse(html)
          // The answers on another page can hide a question in the meantime.
          const isAsked = (name: string) => root.querySelector(`[id="${name}"]`)?.closest('[hidden]') === null
          const names = due.filter(isAsked).map((name) => [name, rowAt(name)] as const)
          await answer(send, { path, html }, new Map(names))
        }
      }
      const { requirements, status, identification_id } = await read()
      expect([requirements.currently_due, status.completed]).toEqual([[], true])

      await vault.api.put(`/identifications/${identification_id}/close`)
      await conclude(gatehouse, identification_id, 30)
      const { complete, output } = await eraseHere(gatehouse, { identification: identification_id })
      expect(complete, output).toBe(true)
      expect(await leftIn()).toEqual([])
      expect(stored()).toEqual(before)
    }),
    RUNS,
  )
})

test('pages without scripts complete each profile of people, and an erasure leaves no answer', async () => {
  await fc.assert(
    fc.asyncProperty(rowsIn([PERSON_SECTION, DOCUMENT_SECTION], 7), async (rows) => {
      plants = createPlants()
      const sorted = rows.map((row) => (row.type === 'files' ? { ...row, section: DOCUMENT_SECTION } : row))
      const vault = await vaultAsking([], [], sorted as readonly ProfileRow[])
      fc.pre(vault !== null)
      if (!vault) return
      const before = stored()
      const person = await openPerson(gatehouse.baseUrl, await beginPerson({ api: vault.api }))
      await fillInPerson(person)
      const send: Send = (path, form) => sendForm(gatehouse.baseUrl + path, form, person.headers)
      let submitted = await person.post('/check')
      for (let round = 0; submitted.status !== 303 && round < ROUNDS; round++) {
        for (const page of [
          'details',
          'document',
          ...sorted.filter(({ type }) => type === 'files').map(({ path }) => path),
        ]) {
          const path = `${person.base}/${page}`
          const shown = await send(path)
          // Pages of documents exist only while the answers require the documents.
          if (shown.status === 404) continue
          const html = await shown.text()
          const asked = (sorted as readonly ProfileRow[]).filter(({ path: name, type }) =>
            type === 'files'
              ? name === page
              : parse(html)
                  .querySelectorAll(`[name="${name}"]`)
                  .some((input) => !input.closest('[hidden]')),
          )
          await answer(send, { html, path }, new Map(asked.map((row) => [row.path, row])))
        }
        submitted = await person.post('/check')
      }
      expect([submitted.status, submitted.headers.get('Location')]).toEqual([303, `${person.base}/done`])
      await vault.api.put(`/identifications/${person.id}/close`)
      await conclude(gatehouse, person.id, 30)
      const { complete, output } = await eraseHere(gatehouse, { identification: person.id })
      expect(complete, output).toBe(true)
      expect(await leftIn()).toEqual([])
      expect(stored()).toEqual(before)
    }),
    RUNS,
  )
})

test('an erasure leaves no document that a later version does not ask for', async () => {
  plants = createPlants()
  const before = stored()
  const list = (name: string, section: string) =>
    row(name, { type: 'files', section, label: text('Document'), required: true })
  const vault = await addVault(gatehouse)
  const profiles = await profilesOf(vault)
  await profiles.publish(
    documentOf(
      [list('licence', 'business_files')],
      [list('cv', 'details')],
      [list('proof_of_address', 'document')],
    ),
  )
  const names: string[] = []
  const named = (name: string) => {
    names.push(name)
    return `${plants.text(name)}.pdf`
  }
  const pdf = () => new Blob([`%PDF-1.4\n${plants.text('content')}\n%%EOF\n`])
  const { id } = await completeApplication(vault.api)
  for (const fields of [{ attribute: 'additional.licence' }, { attribute: 'additional.cv', email: UBO }])
    expect((await vault.api.upload(id, fields, pdf(), named(fields.attribute))).status).toBe(201)
  const person = await openPerson(gatehouse.baseUrl, await beginPerson({ api: vault.api }))
  await fillInPerson(person)
  const proof = photoFile(await photograph(), named('additional.proof_of_address'))
  expect((await person.upload('additional.proof_of_address', proof)).status).toBe(303)

  const { identification_id: ofCompany } = (await vault.api.get(`/kyb/${id}`)).body.data
  const identifications: string[] = [ofCompany, person.id]
  const setLegalHolds = (isSet: boolean) =>
    transaction(gatehouse.db, async (tx) => {
      for (const each of identifications) await setLegalHold(tx, BY_COMMAND_LINE, each, isSet)
    })
  await setLegalHolds(true)
  await profiles.publish(documentOf([row('lei', { format: 'lei' })]))
  for (const path of [`/kyb/${id}`, `/identifications/${person.id}`])
    expect((await profiles.operator.post(`${path}/profile`, {})).status).toBe(200)
  expect(await leftIn()).toEqual(expect.arrayContaining(names))
  expect(stored().length).toBeGreaterThan(before.length)

  await setLegalHolds(false)
  for (const each of identifications) {
    await vault.api.put(`/identifications/${each}/close`)
    await conclude(gatehouse, each, 30)
    const { complete, output } = await eraseHere(gatehouse, { identification: each })
    expect(complete, output).toBe(true)
  }
  expect(await leftIn()).toEqual([])
  expect(stored()).toEqual(before)
})
