/** Rules for the move of an open record to a later version of its vault's profile. */
import type { Problem } from '../base/errors.ts'

/** A form of a published version. Version 0 is the default profile. */
interface Versioned {
  readonly version: number
}

export interface Later<F extends Versioned> {
  readonly form: F
  readonly appliesFrom: Date
  /** Whether the version was published for a later date. Open records move to it on this date. */
  readonly isDated: boolean
}

/** A record with its form, and the versions to which it can move. If `later` is absent, there are none. */
interface UnderProfile<F extends Versioned> {
  readonly form: F
  readonly later?: readonly Later<F>[] | undefined
}

export interface ProfileChange {
  readonly kind: 'change_profile'
  /** The version of the profile. If absent, the newest one to which the record can move. */
  readonly profileVersion?: number | undefined
}

/** Returns the form to which the command moves the record, which is its own if it has this version. */
export function formAfter<F extends Versioned>(
  { form, later = [] }: UnderProfile<F>,
  { profileVersion = later.at(-1)?.form.version }: ProfileChange,
): F | { readonly problems: readonly Problem[] } {
  const target = [form, ...later.map((each) => each.form)].find(({ version }) => version === profileVersion)
  return target ?? { problems: [{ code: 'invalid', field: 'profile_version', message: NO_LATER }] }
}

const NO_LATER =
  'There is no move to this version. Omit profile_version, or publish a later version of the profile first.'

/** Returns the next version that was published for a later date, or null. */
export const datedOf = <F extends Versioned>(later: readonly Later<F>[] = []): Later<F> | null =>
  later.find(({ isDated }) => isDated) ?? null

/** Returns the form of the version whose date has come, or null. */
export function formApplying<F extends Versioned>(later: readonly Later<F>[] | undefined, now: Date) {
  const dated = datedOf(later)
  return dated && dated.appliesFrom <= now ? dated.form : null
}

/** Returns the fact that the date of a later version has come. */
export const profileApplies = (id: string, version: number) => ({
  id: `profile-applies-${version}-${id}`,
  kind: 'profile_applies' as const,
})
