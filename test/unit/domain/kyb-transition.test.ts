/** Tests the effects of each command on an application: content, state, version and events. */

import { describe, expect, test } from 'vitest'
import { REASON_CODES } from '../../../src/domain/decision/decision.ts'
import type { IdentificationParty, Verification } from '../../../src/domain/identification/identification.ts'
import { CONSENT } from '../../../src/domain/identification/person-form.ts'
import {
  beneficiaryUpdated,
  beneficiaryVerified,
  KYB_COMMANDS,
  type KybState,
  kybWaitingOn,
} from '../../../src/domain/kyb/application.ts'
import { transitionOnKybFact } from '../../../src/domain/kyb/fact.ts'
import { emptyContent, type KybContent } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import {
  circumstancesOf,
  type DecisionKind,
  type KybCommand,
  type KybRecord,
  risksOfKyb,
} from '../../../src/domain/kyb/record.ts'
import { currentlyDue, reasonsFor } from '../../../src/domain/kyb/requirements.ts'
import { transitionKyb } from '../../../src/domain/kyb/transition.ts'
import { ADA, approvedCheck, completeContent, NO_CHECKS } from '../../support/kyb.ts'

const CHECKED = new Map([[ADA, approvedCheck(ADA)]])
const NOW = new Date('2026-11-05T10:00:00Z')
const context = { now: NOW, actor: 'user:1', newId: () => 'new-id' }

function record(content: KybContent, state: Partial<KybState> = {}): KybRecord {
  const due = currentlyDue(content, NO_CHECKS)
  return {
    id: 'kyb-1',
    identificationId: 'identification-1',
    form: DEFAULT_FORM,
    externalId: 'external-1',
    state: {
      status: 'open',
      completed: due.length === 0,
      correcting: false,
      unsubmitted: false,
      version: 4,
      pending: null,
      ...state,
    },
    content,
    currentlyDue: due,
    review: null,
    corrections: [],
    replies: [],
    submittedAt: null,
    screenedWith: 'lists',
    openHits: 0,
    confirmedHits: 0,
    files: new Map([
      ['file', { name: 'file.pdf', size: 1, contentType: 'application/pdf', sha256: '', warnings: [] }],
    ]),
    unreadable: new Set(),
    checks: new Map(),
    proposal: null,
    policy: { fourEyes: [], highRiskCountries: [] },
  }
}
function applied(before: KybRecord, command: KybCommand, actor = context.actor) {
  const result = transitionKyb(before, command, { ...context, actor })
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result
}
const problems = (before: KybRecord, command: KybCommand) => {
  const result = transitionKyb(before, command, context)
  return 'problems' in result ? result.problems : []
}
const patch = (fields: object): KybCommand => ({
  kind: 'patch',
  patch: { nature_of_business: { ...fields } },
})
const decision = (kind: DecisionKind, more: object = {}): KybCommand => ({
  kind,
  reasonCode: 'other',
  ...more,
})
const reference = {
  kyb_uuid: 'kyb-1',
  external_id: 'external-1',
  identification_uuid: 'identification-1',
  version: 5,
}

describe('edits', () => {
  test('raise the version by one and keep the status', () => {
    const { record: next } = applied(record(emptyContent()), patch({ city_address: 'Berlin' }))
    expect(next.state).toEqual({
      status: 'open',
      completed: false,
      correcting: false,
      unsubmitted: false,
      version: 5,
      pending: null,
    })
    expect(next.content.nature_of_business).toEqual({ city_address: 'Berlin' })
    expect(next.currentlyDue).not.toContain('nature_of_business.city_address')
  })
  test('send kyb_completed once if they complete the application', () => {
    const content = completeContent()
    delete content.nature_of_business.phone
    const first = applied(record(content), patch({ phone: '+4930123456' }))
    expect(first.record.state.completed).toBe(true)
    expect(first.events).toEqual([
      { name: 'kyb_completed', attributes: { ...reference, status: 'completed' } },
    ])
    expect(applied(first.record, patch({ phone: '+4930123457' })).events).toEqual([])
  })
  test('make a complete application incomplete without an event if they clear a required field', () => {
    const { record: next, events } = applied(record(completeContent()), patch({ phone: null }))
    expect(next.state.completed).toBe(false)
    expect(next.currentlyDue).toEqual(['nature_of_business.phone'])
    expect(events).toEqual([])
  })
  test('that attach and detach files raise the version by one each', () => {
    const attribute = 'legal_structures'
    const attached = applied(record(emptyContent()), { kind: 'attach', fileId: 'file', attribute })
    expect(attached.record.state.version).toBe(5)
    const detached = applied(attached.record, { kind: 'detach', fileId: 'file', attribute })
    expect(detached.record.state.version).toBe(6)
    expect(detached.record.content.business_files.legal_structures).toEqual([])
  })
  test('return their problems and leave the record unchanged if refused', () => {
    const before = record(completeContent())
    const copy = structuredClone(before)
    expect(
      problems(before, { kind: 'patch', patch: { business_files: { legal_structures: ['?'] } } }),
    ).toEqual([{ code: 'unknown_file', field: 'business_files.legal_structures.0.id' }])
    expect(before).toEqual(copy)
  })
  test('do not require a document of a verified beneficiary', () => {
    const content = completeContent()
    delete content.beneficiaries.beneficiaries_list[0]?.beneficiary_identification
    const verified = { ...record(content), checks: CHECKED }
    expect(applied(verified, patch({ phone: '+4930123457' })).record.state.completed).toBe(true)
  })
})

describe('decisions', () => {
  const outcomes = [
    ['approve', 'approved'],
    ['approve_incomplete', 'approved'],
    ['reject', 'rejected'],
  ] as const
  test.each(outcomes)('close and lock the application: %s', (kind, outcome) => {
    const reasonCode = outcome === 'approved' ? 'complete' : 'high_risk'
    const command = decision(kind, { reasonCode, clientComment: 'Hi', internalNote: 'secret' })
    const { record: next, events } = applied(record(completeContent()), command)
    expect(next.state).toEqual({
      status: 'processed',
      completed: true,
      correcting: false,
      unsubmitted: false,
      version: 5,
      pending: null,
    })
    expect(next.review).toEqual({
      outcome,
      reasonCode,
      clientComment: 'Hi',
      findings: [],
      decidedAt: NOW,
    })
    expect(next.corrections).toEqual([])
    expect(events).toEqual([
      {
        name: 'kyb_processed',
        attributes: { ...reference, outcome, reason_code: reasonCode, status: 'processed' },
      },
    ])
    expect(JSON.stringify([next.review, events])).not.toContain('secret')
  })
  test('keep their findings, which become corrections only in a revision request', () => {
    const content = completeContent()
    const [fileId = ''] = content.business_files.articles_of_association ?? []
    const findings = [
      { path: 'nature_of_business.phone', code: 'mismatch', comment: 'Another country’s.' },
      { path: 'business_files.articles_of_association', fileId, code: 'unreadable' },
    ] as const
    const rejected = applied(record(content), decision('reject', { findings })).record
    expect([rejected.review?.findings, rejected.corrections]).toEqual([findings, []])
    const fields = ['nature_of_business.phone', 'nature_of_business.email']
    const asked = decision('request_revision', { findings, fields, clientComment: 'Once more.' })
    expect(applied(record(content), asked).record.corrections).toEqual([
      { path: 'nature_of_business.phone', code: 'mismatch', message: 'Another country’s.' },
      { path: 'business_files.articles_of_association', fileId, code: 'unreadable', message: null },
      { path: 'nature_of_business.email', code: 'other', message: 'Once more.' },
    ])
  })
  test('accept only findings on existing fields, and on files of those fields', () => {
    const findings = [
      { path: 'nature_of_business.nothing', code: 'other' },
      { path: 'business_files.articles_of_association', fileId: 'elsewhere', code: 'other' },
    ] as const
    const result = transitionKyb(record(completeContent()), decision('reject', { findings }), context)
    expect(result).toMatchObject({
      problems: [{ field: 'findings.0.path' }, { field: 'findings.1.file_id' }],
    })
  })
  test('approve an incomplete application only in the sandbox', () => {
    expect(problems(record(emptyContent()), decision('approve'))).toEqual([{ code: 'requirements_due' }])
    const { record: next } = applied(record(emptyContent()), decision('approve_incomplete'))
    expect(next.state).toEqual({
      status: 'processed',
      completed: false,
      correcting: false,
      unsubmitted: false,
      version: 5,
      pending: null,
    })
  })
  test('keep the content', () => {
    for (const kind of ['approve', 'reject', 'request_revision'] as const) {
      expect(applied(record(completeContent()), decision(kind)).record.content).toEqual(completeContent())
    }
  })

  test('keep the application open for a revision, with one correction for each named field', () => {
    const fields = ['nature_of_business.phone', 'beneficiaries.evidence_of_ubos']
    const command = decision('request_revision', {
      reasonCode: 'documents_missing',
      clientComment: 'Correct',
      fields,
    })
    const { record: next, events } = applied(record(completeContent()), command)
    expect(next.state).toEqual({
      status: 'open',
      completed: true,
      correcting: true,
      unsubmitted: false,
      version: 5,
      pending: null,
    })
    expect(next.corrections).toEqual(
      fields.map((path) => ({ path, code: 'documents_missing', message: 'Correct' })),
    )
    expect(events).toEqual([
      {
        name: 'kyb_revision_requested',
        attributes: { ...reference, reason_code: 'documents_missing', status: 'revision_requested' },
      },
    ])
  })
  test('require one correction of the whole application if a revision request names no field', () => {
    const { record: next } = applied(record(completeContent()), decision('request_revision'))
    expect(next.corrections).toEqual([{ path: 'application', code: 'other', message: null }])
  })
  test('require a comment, a finding or a field from operators who request a revision, but not in the sandbox', () => {
    const ask = (more: object, actor = 'operator:1') =>
      transitionKyb(record(completeContent()), decision('request_revision', more), { ...context, actor })
    const findings = [{ path: 'nature_of_business.phone', code: 'missing' }]
    for (const content of [{}, { clientComment: ' \u200b' }, { findings: [], fields: [] }]) {
      expect(ask(content)).toMatchObject({ problems: [{ code: 'required', field: 'client_comment' }] })
      expect(ask(content, 'api_key:1')).toHaveProperty('record')
    }
    for (const content of [{ clientComment: 'Look.' }, { findings }, { fields: [findings[0]?.path] }])
      expect(ask(content)).toHaveProperty('record')
    const rejected = transitionKyb(record(completeContent()), decision('reject'), {
      ...context,
      actor: 'operator:1',
    })
    expect(rejected).toHaveProperty('record')
  })
  test('return a problem for each unknown field', () => {
    const fields = ['nature_of_business.phone', 'nothing', 'application']
    expect(problems(record(completeContent()), decision('request_revision', { fields }))).toMatchObject([
      { code: 'invalid', field: 'fields.1' },
      { code: 'invalid', field: 'fields.2' },
    ])
  })
  test('replace earlier corrections by a new revision, and remove them by a final decision', () => {
    const revised = (fields: string[], before: KybRecord) =>
      applied(before, decision('request_revision', { fields })).record
    const first = revised(['nature_of_business.phone'], record(completeContent()))
    expect(revised(['nature_of_business.email'], first).corrections).toMatchObject([
      { path: 'nature_of_business.email' },
    ])
    expect(applied(first, decision('approve')).record).toMatchObject({
      corrections: [],
      state: { correcting: false },
    })
  })
  test('make the application wait on the client until the last correction is resolved', () => {
    const fields = ['nature_of_business.phone', 'nature_of_business.email']
    const revised = applied(record(completeContent()), decision('request_revision', { fields })).record
    const half = applied(revised, patch({ phone: '+4930999999' })).record
    expect(half.state.correcting).toBe(true)
    expect(half.corrections).toMatchObject([{ path: 'nature_of_business.email' }])
    const corrected = applied(half, patch({ email: 'new@example.com' })).record
    expect(corrected.state).toEqual({
      status: 'open',
      completed: true,
      correcting: false,
      unsubmitted: false,
      version: 7,
      pending: null,
    })
    expect(corrected.review?.outcome).toBe('revision_requested')
  })
  test('send kyb_resubmitted once, however the last correction is resolved', () => {
    const PHONE = 'nature_of_business.phone'
    const resubmitted = (version: number) => [
      { name: 'kyb_resubmitted', attributes: { ...reference, version, status: 'resubmitted' } },
    ]
    const asked = (fields: string[]) =>
      applied(record(completeContent()), decision('request_revision', { fields })).record
    const changed = applied(asked([PHONE]), patch({ phone: '+4930999999' }))
    expect(changed.events).toEqual(resubmitted(6))
    expect(applied(changed.record, patch({ phone: '+4930999998' })).events).toEqual([])
    expect(applied(changed.record, { kind: 'submit' }).events).toEqual([])
    const reply = { kind: 'reply', path: PHONE, reply: 'It is right.' } as const
    expect(applied(asked([PHONE]), reply).events).toEqual(resubmitted(6))
    expect(applied(asked([]), { kind: 'submit' }).events).toEqual(resubmitted(6))
    const halfAnswered = applied(asked([PHONE, 'nature_of_business.email']), reply)
    expect(halfAnswered.events).toEqual([])
  })
  test('send kyb_completed and kyb_resubmitted if a correction completes the application', () => {
    const content = completeContent()
    delete content.nature_of_business.phone
    const fields = ['nature_of_business.phone']
    const asked = applied(record(content), decision('request_revision', { fields })).record
    const { events } = applied(asked, patch({ phone: '+4930999999' }))
    expect(events.map(({ name }) => name)).toEqual(['kyb_completed', 'kyb_resubmitted'])
  })
  test.each(REASON_CODES)('keep the reason %s', (reasonCode) => {
    const kind = reasonCode === 'complete' ? 'approve' : 'reject'
    expect(applied(record(completeContent()), decision(kind, { reasonCode })).record.review).toMatchObject({
      reasonCode,
    })
  })
})

describe('a reply', () => {
  const PHONE = 'nature_of_business.phone'
  const LIST = 'business_files.articles_of_association'
  const findings = [
    { path: PHONE, code: 'mismatch', comment: 'Another number?' },
    { path: LIST, fileId: 'articles_of_association', code: 'expired' },
    { path: LIST, code: 'incomplete' },
  ]
  const asked = applied(record(completeContent()), decision('request_revision', { findings })).record
  const reply = (before: KybRecord, path: string, text = 'It is so.', fileId?: string) =>
    applied(before, { kind: 'reply', path, fileId, reply: text }).record

  test('resolves its finding, and remains for the reviewer', () => {
    const replied = reply(asked, PHONE)
    expect(replied.corrections.map(({ path }) => path)).toEqual([LIST, LIST])
    expect(replied.replies).toEqual([
      { path: PHONE, code: 'mismatch', message: 'Another number?', reply: 'It is so.' },
    ])
    expect(replied.state).toMatchObject({ correcting: true, version: 6 })
    const ofList = reply(replied, LIST)
    expect(ofList.corrections).toMatchObject([{ path: LIST, fileId: 'articles_of_association' }])
    const all = reply(ofList, LIST, 'Until 2030.', 'articles_of_association')
    expect(all.state.correcting).toBe(false)
    expect(all.replies).toHaveLength(3)
  })
  test('is replaced by a new reply, and deleted if the value changes', () => {
    const twice = reply(reply(asked, PHONE), PHONE, 'It really is.')
    expect(twice.replies).toMatchObject([{ reply: 'It really is.' }])
    expect(applied(twice, patch({ city_address: 'Hamburg' })).record.replies).toHaveLength(1)
    expect(applied(twice, patch({ phone: '+4930999999' })).record.replies).toEqual([])
  })
  test('about a document remains if another document is added', () => {
    const replied = reply(asked, LIST, 'Until 2030.', 'articles_of_association')
    const attribute = 'articles_of_association'
    const added = applied(replied, { kind: 'attach', fileId: 'file', attribute }).record
    expect(added.replies).toHaveLength(1)
    const removed = applied(added, { kind: 'detach', fileId: attribute, attribute }).record
    expect(removed.replies).toEqual([])
  })
  test('is refused if its path has no correction', () => {
    for (const [path, fileId] of [['nature_of_business.email'], [PHONE, 'file'], ['nothing']])
      expect(problems(asked, { kind: 'reply', path: path ?? '', fileId, reply: 'x' })).toMatchObject([
        { code: 'invalid', field: 'path' },
      ])
  })
  test('remains with the next decision, until another revision is requested', () => {
    const replied = reply(asked, PHONE)
    expect(applied(replied, decision('reject')).record.replies).toHaveLength(1)
    expect(applied(replied, decision('request_revision')).record.replies).toEqual([])
  })
  test('can answer a general comment with the submission', () => {
    const whole = applied(record(completeContent()), decision('request_revision', { clientComment: 'Why?' }))
    const sent = applied(whole.record, { kind: 'submit', reply: 'Because.' }).record
    expect(sent.replies).toEqual([{ path: 'application', code: 'other', message: 'Why?', reply: 'Because.' }])
    expect(applied(sent, patch({ phone: '+4930999999' })).record.replies).toHaveLength(1)
  })
})

describe('the submission of the form', () => {
  const submit = { kind: 'submit' } as const
  const submitted = (before: KybRecord) => applied(before, submit).record

  test('is refused while a finding on a field is open, and resolves a general comment', () => {
    const revise = (more: object = {}) =>
      applied(record(completeContent()), decision('request_revision', more)).record
    const fields = ['nature_of_business.phone', 'nature_of_business.email']
    expect(problems(revise({ fields }), submit)).toEqual(
      fields.map((field) => ({ code: 'requirements_due', field })),
    )
    expect(submitted(revise())).toMatchObject({
      corrections: [],
      submittedAt: NOW,
      state: { correcting: false, version: 6 },
      review: { outcome: 'revision_requested' },
    })
  })
  test('is recorded until the application waits on the client again', () => {
    const sent = submitted(record(completeContent()))
    expect(sent.submittedAt).toEqual(NOW)
    expect(applied(sent, patch({ phone: '+4930999999' })).record.submittedAt).toEqual(NOW)
    expect(applied(sent, patch({ phone: null })).record.submittedAt).toBe(null)
    expect(applied(sent, decision('request_revision')).record.submittedAt).toBe(null)
  })
  describe('after the applicant has used the form', () => {
    const APPLICANT = 'applicant:identification-1'
    const asApplicant = (before: KybRecord, command: KybCommand) => applied(before, command, APPLICANT).record
    const phone = (value: string | null) => patch({ phone: value })
    const incomplete = () => {
      const { record: before } = applied(record(completeContent()), phone(null))
      return before
    }
    const used = () => asApplicant(incomplete(), phone('+4930999999'))

    test('is required before the review, whichever side adds the last detail', () => {
      expect(used().state).toMatchObject({ completed: true, unsubmitted: true })
      expect(kybWaitingOn(used().state)).toBe('client')
      const started = asApplicant(incomplete(), patch({ website: 'https://example.com' }))
      const finished = applied(started, phone('+4930999999')).record
      expect(kybWaitingOn(finished.state)).toBe('client')
      expect(kybWaitingOn(submitted(finished).state)).toBe('operator')
    })
    test('is not required if only the API has filled in the application', () => {
      expect(kybWaitingOn(applied(incomplete(), phone('+4930999999')).record.state)).toBe('operator')
    })
    test('is not required again if the submitted form remains complete', () => {
      const sent = submitted(used())
      expect(kybWaitingOn(asApplicant(sent, phone('+4930888888')).state)).toBe('operator')
      const emptied = asApplicant(sent, phone(null))
      expect(kybWaitingOn(asApplicant(emptied, phone('+4930888888')).state)).toBe('client')
    })
    test('is required after requested changes, and then reports the new submission', () => {
      const asked = applied(
        submitted(used()),
        decision('request_revision', { fields: ['nature_of_business.phone'] }),
      )
      const corrected = transitionKyb(asked.record, phone('+4930777777'), { ...context, actor: APPLICANT })
      expect(corrected).toMatchObject({ events: [], record: { state: { unsubmitted: true } } })
      const sent = applied((corrected as { record: KybRecord }).record, submit)
      expect(sent.events.map(({ name }) => name)).toEqual(['kyb_resubmitted'])
      const replied = asApplicant(asked.record, {
        kind: 'reply',
        path: 'nature_of_business.phone',
        reply: 'It is correct',
      })
      expect(kybWaitingOn(replied.state)).toBe('client')
    })
  })
  test('keeps a decision that awaits a second approval', () => {
    const asked = { ...record(completeContent()), policy: { fourEyes: ['approvals'], highRiskCountries: [] } }
    const proposed = transitionKyb(asked as KybRecord, decision('approve'), {
      ...context,
      actor: 'operator:1',
    })
    if (!('record' in proposed)) throw new Error('refused')
    expect(submitted(proposed.record).state.pending).toMatchObject({ kind: 'approve' })
  })
})

describe('closed applications', () => {
  const command = (kind: KybCommand['kind']) =>
    ({ kind, patch: {}, fileId: 'file', attribute: 'legal_structures', reasonCode: 'other' }) as KybCommand
  test.each(KYB_COMMANDS)('refuse %s and remain unchanged', (kind) => {
    for (const status of ['processed', 'abandoned'] as const) {
      const ended = record(completeContent(), { status })
      const copy = structuredClone(ended)
      expect(problems(ended, command(kind))).toMatchObject([{ code: `kyb_${status}` }])
      expect(ended).toEqual(copy)
    }
  })
})

describe('the verification of a beneficiary', () => {
  const fact = beneficiaryVerified(ADA)
  const path = `beneficiaries.beneficiaries_list.${ADA}.beneficiary_identification`
  const ask = (...fields: string[]) =>
    applied(record(completeContent()), decision('request_revision', { fields })).record
  const verified = (asked: KybRecord) => transitionOnKybFact({ ...asked, checks: CHECKED }, fact, NOW).record

  test('resolves a request for another identity document', () => {
    const asked = ask(path)
    expect(asked.currentlyDue).toEqual([])
    expect(verified(asked)).toMatchObject({ corrections: [], state: { correcting: false, version: 6 } })
  })
  test('resolves nothing else', () => {
    const city = 'nature_of_business.city_address'
    const both = verified(ask(path, city))
    expect(both).toMatchObject({ corrections: [{ path: city }], state: { correcting: true } })
    const other = ask(city)
    expect(transitionOnKybFact(other, fact, NOW).record).toBe(other)
    expect(verified(other)).toMatchObject({
      corrections: other.corrections,
      state: { ...other.state, version: other.state.version + 1 },
      screenedWith: null,
    })
  })
  test('does not resolve the corrections of another verified beneficiary', () => {
    const bob = 'b0000000-0000-4000-8000-000000000002'
    const asked = { ...ask(path), checks: new Map([...CHECKED, [bob, approvedCheck(bob)]]) }
    expect(transitionOnKybFact(asked, beneficiaryVerified(bob), NOW).record).toBe(asked)
  })
})

describe('a verified beneficiary', () => {
  const content = completeContent()
  delete content.beneficiaries.beneficiaries_list[0]?.beneficiary_identification
  const verified = { ...record(content), checks: CHECKED }
  const path = `beneficiaries.beneficiaries_list.${ADA}.beneficiary_identification`
  const named = (full_name: string | null, before: KybRecord = verified) =>
    applied(before, {
      kind: 'patch',
      patch: {
        beneficiaries: { beneficiaries_list: [{ external_id: ADA, full_name }] as unknown as object },
      },
    }).record

  test('is due again under a different name, and loses the check', () => {
    const swapped = named('Real Owner')
    expect(swapped.checks.has(ADA)).toBe(false)
    expect(swapped).toMatchObject({ currentlyDue: [path], state: { completed: false } })
    // The check does not return with the earlier name.
    expect(named('Ada Lovelace', swapped).currentlyDue).toEqual([path])
    const cleared = named(null)
    expect(cleared.checks).toEqual(CHECKED)
    expect(named('Real Owner', cleared).checks.has(ADA)).toBe(false)
  })
  test.each(['ADA LOVELACE', 'Áda  Lovelàce', 'Ada\u00a0Love lace', 'Lovelace Ada'])(
    'remains verified as %s',
    (name) => {
      expect(named(name)).toMatchObject({ currentlyDue: [], checks: CHECKED })
    },
  )
  test('is due until the names match', () => {
    const other = { name: 'Straw', surname: 'Man', consent: CONSENT }
    const checks = new Map([[ADA, { ...approvedCheck(ADA), profile: other }]])
    const mismatched = { ...verified, checks }
    const edited = applied(mismatched, patch({ phone: '+4930123457' })).record
    expect(edited.currentlyDue).toEqual([path])
    expect(reasonsFor([path], edited.content, circumstancesOf(edited, NOW))).toEqual([
      { path, reason: 'verified_as_another' },
    ])
    expect(transitionOnKybFact(mismatched, beneficiaryVerified(ADA), NOW).record.currentlyDue).toEqual([path])
    expect(named('Straw Man', edited)).toMatchObject({ currentlyDue: [], checks })
  })
  test('loses a check in progress if the name changes after the person gave consent', () => {
    const inProgress = (profile: object) =>
      new Map([[ADA, { ...approvedCheck(ADA), verification: 'initiated' as const, profile: { ...profile } }]])
    const ada = { name: 'Ada', surname: 'Lovelace' }
    const ends = (profile: object) =>
      !named('Real Owner', { ...verified, checks: inProgress(profile) }).checks.has(ADA)
    expect([ends({ ...ada, consent: CONSENT }), ends(ada)]).toEqual([true, false])
  })
  test('counts while the verification is under review, but cannot be approved before it is', () => {
    const check = approvedCheck(ADA)
    const inStage = (verification: Verification, waitingOn: IdentificationParty) =>
      new Map([[ADA, { ...check, verification, waitingOn }]])
    const told = (before: KybRecord, checks: KybRecord['checks'], version: number) =>
      transitionOnKybFact({ ...before, checks }, beneficiaryUpdated(ADA, version), NOW).record
    const asked = told(verified, inStage('initiated', 'applicant'), 1)
    expect(asked).toMatchObject({ currentlyDue: [path], state: { completed: false } })
    for (const waitingOn of ['provider', 'operator'] as const) {
      const submitted = told(asked, inStage('initiated', waitingOn), 2)
      expect(submitted).toMatchObject({ currentlyDue: [], state: { completed: true } })
      expect(problems(submitted, decision('approve'))).toMatchObject([
        { code: 'requirements_due', field: path },
      ])
      expect(applied(submitted, decision('reject')).record.state.status).toBe('processed')
      for (const [verification, party] of [
        ['initiated', 'applicant'],
        ['rejected', 'nobody'],
        ['closed', 'nobody'],
      ] as const)
        expect(told(submitted, inStage(verification, party), 3).currentlyDue).toEqual([path])
    }
    expect(told(asked, inStage('attention', 'operator'), 2).currentlyDue).toEqual([])
  })
  test('counts towards the risk of the company', () => {
    const risky = (more: object) =>
      risksOfKyb({
        ...verified,
        policy: { fourEyes: [], highRiskCountries: ['IR'] },
        checks: new Map([[ADA, { ...approvedCheck(ADA), ...more }]]),
      })
    expect(risky({ profile: { nationality: 'IR' } })).toContain('high_risk_country')
    expect(risky({ profile: { nationality: 'DE' } })).not.toContain('high_risk_country')
    expect(risky({ confirmedHits: 1 })).toContain('on_a_list')
    expect(risky({})).not.toContain('on_a_list')
  })
})
