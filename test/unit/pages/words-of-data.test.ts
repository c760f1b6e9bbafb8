/** Tests that the console has a text for each state, reason and failure that its pages show from data. */
import { describe, expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '../../../src/domain/access/audit.ts'
import { COMPLETE_LANGUAGES, LANGUAGE_NAMES } from '../../../src/domain/base/language.ts'
import { FINDING_CODES, REASON_CODES } from '../../../src/domain/decision/decision.ts'
import type { Commands, Entity, Facts } from '../../../src/domain/entity/entity.ts'
import { ALL_SERVICES, BLOCK_REASONS, HOLD_OWNERS } from '../../../src/domain/identification/holds.ts'
import {
  CHECK_OUTCOMES,
  IDENTIFICATION_PARTIES,
  IDENTIFICATION_STATUSES,
  ORIGINS,
  VERIFICATIONS,
} from '../../../src/domain/identification/identification.ts'
import { CHECK_FAILURES } from '../../../src/domain/identification/verification-check.ts'
import { KYB_STATUSES, REVIEW_OUTCOMES } from '../../../src/domain/kyb/application.ts'
import { PROFILE_PROBLEMS } from '../../../src/domain/profile/problems.ts'
import { OUTCOME_OF_ACTION } from '../../../src/domain/review/figures.ts'
import { RETENTION_BLOCKERS } from '../../../src/domain/review/retention.ts'
import { DUPLICATE_REASONS } from '../../../src/domain/screening/duplicate.ts'
import { LOG_STATUSES } from '../../../src/domain/webhook/events.ts'
import { FAILURES, failureText, readFailure } from '../../../src/domain/webhook/failure.ts'
import { failureWords, wordOf } from '../../../src/pages/console/base/words.ts'
import { isTextName, translate } from '../../../src/pages/texts/index.ts'
import { filesIn, readSource } from '../../support/wording.ts'

/** The entries of timelines that are neither commands nor facts. */
const EVENTS = [
  ...['created', 'note', 'file_read', 'case_read', 'assigned', 'released', 'link_reissued', 'erased'],
  ...['email_sent', 'email_refused', 'email_failed', 'email_limited', 'reminders_declined'],
  ...['delivery_retried', 'verification_ended', 'check_contradicted', 'screening_hits_found'],
  ...['screening_hit_confirmed', 'screening_hit_dismissed', 'screening_hit_dismissal_proposed'],
  ...['legal_hold_set', 'legal_hold_lifted', 'kyb_processed', 'identification_closed', 'malformed_fact'],
]

/** Timelines contain these facts under other names. */
type Renamed = 'review_finished' | 'company_closed'

/** A missing or unknown member is a type error. */
const ACTIONS: Record<Exclude<Commands[Entity]['kind'] | Facts[Entity]['kind'], Renamed>, true> = {
  add_account: true,
  approve: true,
  approve_incomplete: true,
  attach: true,
  beneficiary_changed: true,
  beneficiary_removed: true,
  beneficiary_updated: true,
  beneficiary_verified: true,
  block: true,
  call_attention: true,
  case_closed: true,
  case_opened: true,
  change_profile: true,
  check_finished: true,
  close: true,
  close_case: true,
  confirm: true,
  detach: true,
  edit_profile: true,
  file_lost: true,
  fill_in: true,
  patch: true,
  profile_applies: true,
  reject: true,
  reply: true,
  request_information: true,
  request_revision: true,
  submit: true,
  unblock: true,
  withdraw: true,
}

/** The members of each group of texts. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'settings.action': AUDIT_ACTIONS,
  'console.action': [...Object.keys(ACTIONS), ...Object.keys(OUTCOME_OF_ACTION), ...EVENTS],
  'console.actor': ['operator', 'user', 'api_key', 'applicant', 'provider', 'cli', 'system'],
  'console.checks': [...CHECK_OUTCOMES, ...CHECK_FAILURES],
  'console.client.check': VERIFICATIONS,
  'console.decided': [...REVIEW_OUTCOMES, 'attention', 'initiated'],
  'console.delivery': LOG_STATUSES,
  'console.duplicate': DUPLICATE_REASONS,
  'console.failure': Object.keys(FAILURES),
  'console.finding': FINDING_CODES,
  'console.origin': ORIGINS,
  'console.outcome': [...REVIEW_OUTCOMES, 'attention', 'initiated', 'case_closed'],
  'console.owner': HOLD_OWNERS,
  'console.part': [
    ...['name_exact', 'name_phonetic', 'name_similar', 'birth_date_same', 'weak_alias', 'identifier'],
    ...['country_differs', 'birth_year_differs', 'birth_day_differs', 'surname_differs', 'number_differs'],
  ],
  'console.party': IDENTIFICATION_PARTIES,
  'console.reason': [...REASON_CODES, ...BLOCK_REASONS],
  'console.service': ALL_SERVICES,
  'console.status': [...KYB_STATUSES, ...IDENTIFICATION_STATUSES],
  'console.subject': ['person', 'company'],
  'console.topic': [
    'sanction',
    'role.pep',
    'role.rca',
    'role.pol',
    'role.oligarch',
    'crime',
    'debarment',
    'wanted',
  ],
  'console.turn': ['proposed', 'withdrawn', 'dropped', 'without_effect'],
  'settings.actor': ['operator', 'user', 'api_key', 'cli', 'scim', 'nobody'],
  'settings.erasures.keptBy': RETENTION_BLOCKERS,
  'settings.language': LANGUAGE_NAMES,
  'settings.profileProblem': Object.keys(PROFILE_PROBLEMS),
}

test('knows each group of codes that a page of the console shows as words', () => {
  const sources = filesIn('src/pages/console', ['.ts', '.tsx']).map(readSource)
  const groups = sources.flatMap((source) =>
    [...source.matchAll(/wordOf\([\w.]+, '([\w.]+)'/g)].map(([, group = '']) => group),
  )
  expect([...new Set(groups)].filter((group) => !(group in GROUPS))).toEqual([])
})

test.each(Object.entries(GROUPS))('%s has a text for each member', (group, members) => {
  expect(members.filter((member) => !isTextName(`${group}.${member}`))).toEqual([])
})

test('a topic without a text has the words of the wider topic', () => {
  expect(wordOf({ t: translate('en') }, 'console.topic', 'crime.unheard')).toBe('Crime')
  expect(wordOf({ t: translate('en') }, 'console.topic', 'unheard')).toBe('unheard')
})

describe.each(COMPLETE_LANGUAGES)('failures in %s', (language) => {
  const frame = { t: translate(language) }
  test.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])(
    '%s is read from its stored text',
    (failure) => {
      for (const detail of [undefined, failure === 'status' ? 503 : 'EPROTO']) {
        const stored = failureText(failure, detail)
        expect(readFailure(stored)?.failure).toBe(failure)
        const words = failureWords(frame, stored)
        expect(words.startsWith(frame.t(`console.failure.${failure}`))).toBe(true)
        expect(words.includes(String(detail))).toBe(detail !== undefined)
      }
    },
  )
  test('other texts stay as they are', () => {
    for (const text of ['', 'HTTP', 'boom (x', '(503)']) expect(failureWords(frame, text)).toBe(text)
  })
})
