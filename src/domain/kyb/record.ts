/** Rules for the data of a KYB application and for the commands that change it. */
import type { ReviewPolicy } from '../access/review-policy.ts'
import type { FileDetails, Side } from '../base/file.ts'
import type { Assignment } from '../decision/assignment.ts'
import type {
  Confirmation,
  Correction,
  Decision,
  Finding,
  Place,
  ReasonCode,
  Reply,
  Replying,
} from '../decision/decision.ts'
import { datedOf, type Later, type ProfileChange } from '../decision/profile-change.ts'
import { newestDay } from '../fields/values.ts'
import type { Verification } from '../identification/identification.ts'
import type { Screened } from '../screening/screening.ts'
import { isKybEnded, type KybCommandKind, type KybState, type ReviewOutcome } from './application.ts'
import { type BeneficiaryChecks, identifiedIn, mismatchedIn } from './beneficiary-check.ts'
import type { KybEdit } from './edit.ts'
import type { KybContent } from './fields.ts'
import type { Form } from './form.ts'
import type { Circumstances } from './requirements.ts'
import { isPoliticallyExposed, risksOfCompany } from './risk.ts'

interface Review {
  readonly outcome: ReviewOutcome
  readonly reasonCode: ReasonCode
  readonly clientComment: string | null
  /** All findings, for operators. The client sees only the findings of a request for changes. */
  readonly findings: readonly Finding[]
  /**
   * All requested corrections, including completed ones. A decision that an earlier version stored does not have them.
   */
  readonly places?: readonly Place[] | undefined
  readonly decidedAt: Date
}

/** The data of an application that commands read and change. */
export interface KybRecord extends Screened {
  readonly id: string
  readonly identificationId: string
  /** The client's own ID for the application. */
  readonly externalId: string
  readonly state: KybState
  readonly form: Form
  /** The later versions of the profile to which the application can move. If absent, there are none. */
  readonly later?: readonly Later<Form>[]
  readonly content: KybContent
  readonly currentlyDue: readonly string[]
  readonly review: Review | null
  readonly corrections: readonly Correction[]
  /** The applicant's replies to the latest request for changes. */
  readonly replies: readonly Reply[]
  /** When the applicant last submitted the form. Null while the application waits on the client. */
  readonly submittedAt: Date | null
  /** The attached files, keyed by ID. */
  readonly files: ReadonlyMap<string, FileDetails>
  /** The IDs of attached files that cannot be opened. */
  readonly unreadable: ReadonlySet<string>
  /** The sides of identity cards that the files show, keyed by file. If absent, no file has a side. */
  readonly sides?: ReadonlyMap<string, Side>
  /** The checks of beneficiaries that have started. */
  readonly checks: BeneficiaryChecks
  /** The complete decision that awaits a second approval, or null. */
  readonly proposal: KybDecision | null
  readonly policy: ReviewPolicy
}

/** Returns the version to which an open application moves on a date, or null. */
export const futureOf = ({ state, later }: Pick<KybRecord, 'state' | 'later'>): Later<Form> | null =>
  isKybEnded(state) ? null : datedOf(later)

export interface Submission {
  readonly kind: 'submit'
  /** The applicant's reply to a comment on the whole application. */
  readonly reply?: string | undefined
}

export type DecisionKind = Exclude<
  KybCommandKind,
  KybEdit['kind'] | Replying['kind'] | Submission['kind'] | ProfileChange['kind'] | Confirmation['kind']
>

export interface KybDecision extends Decision {
  readonly kind: DecisionKind
  readonly fields?: readonly string[] | undefined
}

export type KybCommand = KybEdit | Replying | Submission | ProfileChange | KybDecision | Confirmation

/** A stored application, with its links, assignment and times. */
export interface KybApplication extends KybRecord, Assignment {
  readonly vaultId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly waitingSince: Date
  /** When the version last changed. */
  readonly updatedAt: Date
  readonly createdAt: Date
  /** The links to the beneficiaries' own verifications, keyed by beneficiary. */
  readonly links: ReadonlyMap<string, BeneficiaryLink>
}

export interface BeneficiaryLink {
  readonly token: string
  readonly expiresAt: Date
  /** The ID of the person's check. The check may not have begun yet. */
  readonly checkId: string
  readonly verification: Verification
  /** Whether the person has opened the link. */
  readonly isBegun: boolean
}

/** Returns the circumstances outside the content that affect requirements. */
export const circumstancesOf = (
  {
    form,
    content,
    checks,
    unreadable,
    sides,
  }: Pick<KybRecord, 'form' | 'content' | 'checks' | 'unreadable' | 'sides'>,
  now: Date,
): Circumstances => ({
  form,
  verified: identifiedIn(content, checks),
  mismatched: mismatchedIn(content, checks),
  unreadable,
  ...(sides && { sides }),
  today: newestDay(now),
})

export const risksOfKyb = (record: Pick<KybRecord, 'content' | 'checks' | 'policy' | 'confirmedHits'>) =>
  risksOfCompany(
    record.content,
    {
      isPoliticallyExposed: isPoliticallyExposed(record.content),
      checks: record.content.beneficiaries.beneficiaries_list.flatMap(
        ({ external_id: id }) => record.checks.get(id) ?? [],
      ),
    },
    record,
  )
