/**
 * Tests that a new field needs only its row and a label in each language, by adding one and searching for it
 * everywhere.
 */

import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, test, vi } from 'vitest'
import { createOpenApiDocument } from '../../../src/api/app.ts'
import { presentKyb } from '../../../src/api/presenters/kyb-application.ts'
import { createRoutes } from '../../../src/api/routes/index.ts'
import { findProblems } from '../../../src/contracts/check.ts'
import { createKybBody, patchKybBody } from '../../../src/contracts/kyb-application.ts'
import { changesBetween } from '../../../src/domain/kyb/changes.ts'
import { isFieldPath } from '../../../src/domain/kyb/content.ts'
import { editContent } from '../../../src/domain/kyb/edit.ts'
import { KYB_FIELDS, type KybContent } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM, factsOf } from '../../../src/domain/kyb/form.ts'
import { currentlyDue, findDue } from '../../../src/domain/kyb/requirements.ts'
import { SectionForm } from '../../../src/pages/applicant/company/section-form.tsx'
import { Check } from '../../../src/pages/applicant/company/summary.tsx'
import type { CompanyVisit } from '../../../src/pages/applicant/company/visit.ts'
import { Fields, shownFields } from '../../../src/pages/console/case/facts.tsx'
import { type Language, translate } from '../../../src/pages/texts/index.ts'
import { compareFields } from '../../../src/pages/values/form-values.ts'
import { completeContent, NO_CHECKS } from '../../support/kyb.ts'

// The factories of the mocks run before everything else.
const { NAME, LABELS } = vi.hoisted(() => ({
  NAME: 'engine_count',
  LABELS: { en: 'Number of engines', de: 'Zahl der Maschinen' },
}))
const PATH = `nature_of_business.${NAME}`

vi.mock('../../../src/domain/kyb/fields/nature-of-business.ts', async (original) => {
  const { NATURE_OF_BUSINESS } = (await original()) as { NATURE_OF_BUSINESS: object }
  const row = { type: 'number_text', required: true, description: 'How many engines it built.', example: '3' }
  return { NATURE_OF_BUSINESS: { ...NATURE_OF_BUSINESS, [NAME]: row } }
})
vi.mock('../../../src/pages/texts/en.json', async (original) => ({
  default: { ...((await original()) as { default: object }).default, [`field.${NAME}`]: LABELS.en },
}))
vi.mock('../../../src/pages/texts/de.json', async (original) => ({
  default: { ...((await original()) as { default: object }).default, [`field.${NAME}`]: LABELS.de },
}))

const edited = (content: KybContent, value: unknown): KybContent => {
  const patch = { nature_of_business: { [NAME]: value } }
  const result = editContent(
    content,
    { kind: 'patch', patch },
    { form: DEFAULT_FORM, uploaded: new Set(), newId: () => 'id' },
  )
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result.content
}
const without = completeContent()
const filled = edited(without, '3')

describe('rules', () => {
  test('make the new field due until it is provided', () => {
    expect(currentlyDue(without, NO_CHECKS)).toEqual([PATH])
    expect(currentlyDue(filled, NO_CHECKS)).toEqual([])
    expect(edited(filled, null)).toEqual(without)
  })
  test('accept the new field in a review, and list its changes', () => {
    expect(isFieldPath(DEFAULT_FORM, filled, PATH)).toBe(true)
    expect(changesBetween(DEFAULT_FORM, without, filled, () => '')).toEqual([
      { path: PATH, before: null, after: '3' },
    ])
  })
})

describe('the API', () => {
  test.each([
    ['a creation', createKybBody, { external_id: 'x' }],
    ['a patch', patchKybBody, {}],
  ] as const)('accepts the new field in %s and validates its type', (_, schema, rest) => {
    const problems = (value: unknown) =>
      findProblems(schema, { ...rest, nature_of_business: { [NAME]: value } }).map(({ field }) => field)
    expect([problems('3'), problems(null), problems('many')]).toEqual([[], [], [PATH]])
  })
  test('shows the new field in responses, also if it is empty', () => {
    const shown = (content: KybContent) =>
      presentKyb('https://gatehouse.example')({
        ...visit('en', content).application,
        content: { ...content, beneficiaries: { beneficiaries_list: [] } },
      }).nature_of_business[NAME]
    expect([shown(without), shown(filled)]).toEqual([null, '3'])
  })
  test('describes the new field in requests and responses', async () => {
    const routes = createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: false })
    const document = JSON.stringify(
      await createOpenApiDocument('client', 'https://gatehouse.example', routes.client),
    )
    const described = document.match(
      /"engine_count":\{"description":"[^"]*"|"engine_count":\{[^{}]*"description":"[^"]*"/g,
    )
    expect(described?.length).toBeGreaterThan(1)
    for (const each of described ?? [])
      expect(each).toContain('How many engines it built. Required for a complete application.')
  })
})

const visit = (language: Language, content: KybContent) =>
  ({
    frame: { language, t: translate(language), vault: null, vaultName: null, path: '/' },
    base: '/verify/1',
    csrf: '',
    due: findDue(content, NO_CHECKS),
    application: {
      form: DEFAULT_FORM,
      content,
      currentlyDue: currentlyDue(content, NO_CHECKS),
      corrections: [],
      submittedAt: null,
      files: new Map(),
      links: new Map(),
      unreadable: new Set(),
      checks: new Map(),
      review: null,
      state: { status: 'open', completed: false },
      replies: [],
      updatedAt: new Date(),
      createdAt: new Date(),
    },
  }) as unknown as CompanyVisit

describe.each(['en', 'de'] as const)('pages in %s', (language) => {
  test('have an input for the new field and read its value', () => {
    const page = renderToString(
      h(SectionForm, { visit: visit(language, filled), page: 'nature_of_business' }),
    )
    expect(page).toMatch(new RegExp(`<label for="${PATH}">\\s*${LABELS[language]}`))
    expect(page).toMatch(new RegExp(`<input[^>]*name="${PATH}"[^>]*value="3"`))
    const sent = { [PATH]: '4', [`was:${PATH}`]: '3' }
    const fields = KYB_FIELDS.nature_of_business
    const { changed } = compareFields(
      { prefix: 'nature_of_business.', fields, sent, language },
      filled.nature_of_business,
    )
    expect(changed).toEqual({ [NAME]: '4' })
  })
  test('show the new field in the summary, or report it as missing', () => {
    expect(renderToString(h(Check, { visit: visit(language, filled) }))).toContain(
      `<dt>${LABELS[language]}</dt><dd>3</dd>`,
    )
    expect(renderToString(h(Check, { visit: visit(language, without) }))).toContain(
      `<a href="/verify/1/nature_of_business#${PATH}">${LABELS[language]}</a>`,
    )
  })
  test('show the new field to reviewers in the console', () => {
    const NO_ONE = {
      userId: '',
      actor: '',
      email: '',
      csrf: '',
      grants: [],
      mustChoosePassword: false,
      isSingleSignOn: false,
      hasPassword: true,
      hasProvider: false,
      seats: [],
    }
    const page = renderToString(
      h(Fields, {
        frame: visit(language, filled).frame,
        id: 'nature_of_business',
        title: '',
        fields: shownFields(
          KYB_FIELDS.nature_of_business,
          filled.nature_of_business,
          'nature_of_business.',
          new Map(),
          factsOf(DEFAULT_FORM, filled),
        ),
        marks: {
          visit: { ...NO_ONE, frame: visit(language, filled).frame },
          ...{ base: '', tab: 'company', document: null, byKey: new Map(), flagging: null },
          ...{ canMark: false, canFlag: () => false, canAccept: () => true },
        },
        corrections: [],
      }),
    )
    expect(page).toMatch(new RegExp(`<dt>${LABELS[language]}</dt><dd><span class="value"> ?3</span>`))
  })
})
