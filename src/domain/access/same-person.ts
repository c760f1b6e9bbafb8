/** Rules for operators with two accounts, who could confirm their own decisions. */

import { withoutAccents } from '../base/accents.ts'

/** Shorter names, such as `ada`, belong to many people. */
const MIN_LENGTH = 4

/** The letters of a name, without accents. Separators, digits and tags such as `+work` differ between accounts. */
function wordsIn(email: string): string[] {
  const [local = ''] = email.split(/[@+]/)
  return withoutAccents(local)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
}

/** Returns the forms in which companies usually write the person's name in an email. */
function formsOf(email: string): Set<string> {
  const words = wordsIn(email)
  const [first = '', last = ''] = words
  const pairs =
    words.length === 2 ? [first + last, last + first, first.charAt(0) + last, last.charAt(0) + first] : []
  return new Set([words.join(''), ...pairs].filter((form) => form.length >= MIN_LENGTH))
}

interface Account {
  readonly id: string
  readonly email: string
}

/** Limits the pairs of each account and of the result, because thousands of accounts could all have one form. */
const [MAX_OTHERS, MAX_PAIRS] = [5, 1_000]

/** Returns the newest pairs of accounts whose emails suggest the same person. */
export function findSamePeople<A extends Account>(accounts: readonly A[]): (readonly [A, A])[] {
  const withForm = new Map<string, A[]>()
  const pairs = new Map<string, readonly [A, A]>()
  for (const account of accounts)
    for (const form of formsOf(account.email)) {
      const others = withForm.get(form) ?? []
      for (const other of others) pairs.set(`${other.id} ${account.id}`, [other, account])
      withForm.set(form, [...others, account].slice(-MAX_OTHERS))
    }
  return [...pairs.values()].slice(-MAX_PAIRS)
}
