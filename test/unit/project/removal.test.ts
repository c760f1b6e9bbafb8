/** Tests that one module removes personal data and files, because it decides whether a hold keeps them. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const sources = new Map<string, string>()
for (const folder of ['src', 'activities'])
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/\.tsx?$/.test(name)) sources.set(`${folder}/${name}`, readFileSync(`${folder}/${name}`, 'utf8'))

const REMOVAL = 'src/db/removal/removal.ts'
const ERASURE = 'src/db/removal/erasure.ts'
const FILES = 'src/db/files/file.ts'
const [PERSON_SAVE, COMPANY_SAVE] = ['src/db/save/identification.ts', 'src/db/save/kyb-application.ts']

/** Code that removes data, and the only files that may contain it. */
const ONLY_IN: readonly [what: string, pattern: RegExp, files: readonly string[]][] = [
  ['detaches a file', /state: '(detached|withheld)'/, [REMOVAL, FILES]],
  ['calls the function that detaches files', /\bdetachFiles\(/, [REMOVAL, ERASURE, FILES]],
  ['deletes the row of a file', /\.delete\(files\)/, [FILES]],
  ['clears notes of the timeline', /update\(timeline\)/, ['src/db/commands/timeline.ts']],
  ['deletes screening hits', /\.delete\(screeningHits\)/, [REMOVAL, 'src/db/save/screening.ts']],
  ['deletes kept values', /\.delete\(keptValues\)/, [REMOVAL]],
  ['deletes the row of a beneficiary', /\.delete\(beneficiaries\)/, ['src/db/cases/beneficiary.ts']],
  ['erases all rows', /\beraseRows\(/, [REMOVAL, ERASURE, 'src/use-cases/review/erasure.ts']],
  ['writes a stored profile', /profile: [\w.]*sealJson\(/, [PERSON_SAVE]],
  ['writes stored content', /content: sealContent\(/, [COMPANY_SAVE]],
  ['empties a person', /person: [\w.]*sealJson\(/, [REMOVAL, COMPANY_SAVE]],
]

test.each(ONLY_IN)('no other code %s', (_what, pattern, files) => {
  const found = [...sources].filter(([, text]) => pattern.test(text)).map(([path]) => path)
  expect(found.toSorted()).toEqual([...files].toSorted())
})

test('every save of a record passes what it removes to this module', () => {
  expect(sources.get(PERSON_SAVE)).toMatch(/return removeFromProfile\(tx, before, identification\)/)
  expect(sources.get(COMPANY_SAVE)).toMatch(/await removeFromContent\(tx, before, application\)/)
})

test('no code undoes the removal of a file', () => {
  const attaching = [...sources].filter(([, text]) => /state: 'attached'/.test(text)).map(([path]) => path)
  expect(attaching).toEqual([FILES])
  expect(sources.get(FILES)).toContain("ofOwner(owner), inArray(files.state, ['uploading', 'attached'])")
})
