/** Tests that applicants' use cases declare the refusals of their commands in every state. */
import { expect, test } from 'vitest'
import {
  decideIdentification,
  IDENTIFICATION_PARTIES,
  VERIFICATIONS,
} from '../../../src/domain/identification/identification.ts'
import { decideKyb, KYB_STATUSES } from '../../../src/domain/kyb/application.ts'
import {
  attachDocument,
  detachDocument,
  patchCompany,
  replyAsCompany,
  submitCompany,
} from '../../../src/use-cases/applicant/company-form.ts'
import {
  attachPhoto,
  detachPhoto,
  fillIn,
  replyAsPerson,
  submitPerson,
} from '../../../src/use-cases/applicant/person-form.ts'

const shared = { version: 1, pending: null }
const KYB_STATES = KYB_STATUSES.flatMap((status) =>
  [false, true].flatMap((completed) =>
    [false, true].map((correcting) => ({ ...shared, status, completed, correcting, unsubmitted: false })),
  ),
)
const IDENTIFICATION_STATES = VERIFICATIONS.flatMap((verification) =>
  IDENTIFICATION_PARTIES.map((waitingOn) => ({
    ...shared,
    verification,
    waitingOn,
    awaitsKyb: false,
    holds: [],
  })),
)

test.each([
  ['patch', patchCompany],
  ['reply', replyAsCompany],
  ['submit', submitCompany],
  ['attach', attachDocument],
  ['detach', detachDocument],
] as const)('%s of a company declares its refusals', (kind, useCase) => {
  const codes = KYB_STATES.flatMap((state) => decideKyb(state, kind)?.code ?? [])
  expect(codes).not.toEqual([])
  for (const code of codes) expect(useCase.refuses).toContain(code)
})

test.each([
  ['fill_in', fillIn],
  ['reply', replyAsPerson],
  ['attach', attachPhoto],
  ['detach', detachPhoto],
] as const)('%s of a person declares its refusals', (kind, useCase) => {
  const codes = IDENTIFICATION_STATES.flatMap((state) => decideIdentification(state, kind)?.code ?? [])
  expect(codes).not.toEqual([])
  for (const code of codes) expect(useCase.refuses).toContain(code)
})

test('submit of a person refuses only an incomplete form, because a form can be submitted twice', () => {
  expect(submitPerson.refuses).toEqual(['requirements_due'])
})
