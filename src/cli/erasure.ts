/**
 * Commands: `erase` and `legal-hold`. An erasure is permanent. It requires that the retention period has expired and
 * that there is no hold.
 */
import { createInterface } from 'node:readline/promises'
import { validate } from 'uuid'
import { readClockSkew } from '../db/audit/task-run.ts'
import { findIdentificationOfKyb } from '../db/cases/kyb-application.ts'
import { type Database, transaction } from '../db/connection/database.ts'
import { CANCELLED, findDatabaseError, isDatabaseUnavailable } from '../db/connection/failure.ts'
import { deleteDetachedFiles } from '../db/files/file.ts'
import { findDue, findRetained, setLegalHold } from '../db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../domain/access/audit.ts'
import {
  type Retained,
  type RetentionBlocker,
  type RetentionPeriods,
  retentionBlocker,
} from '../domain/review/retention.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import { type Erasure, eraseIdentification } from '../use-cases/review/erasure.ts'
import type { Values } from './command-line.ts'

interface ErasureDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly say: (line: string) => void
}

type Targets = { [K in 'identification' | 'kyb' | 'due']?: Values[K] | undefined }

interface ErasureOptions {
  readonly periods: RetentionPeriods
  readonly dryRun: boolean
  /** Skips the confirmation. */
  readonly yes: boolean
}

/** If the clocks differ by more seconds, one of them is wrong. The periods are years, so smaller errors matter little. */
const MAX_SKEW_SECONDS = 3_600

/**
 * Erases identifications and their files. Returns true if everything that was requested is erased.
 * Throws if the clock of PostgreSQL, which decides when files are due, differs widely from the clock of this process.
 */
export async function erase(
  { db, blobs, say }: ErasureDeps,
  targets: Targets,
  { periods, dryRun, yes }: ErasureOptions,
): Promise<boolean> {
  const skew = Math.round(await readClockSkew(db))
  if (Math.abs(skew) > MAX_SKEW_SECONDS)
    throw new Error(
      `The clock differs from PostgreSQL's by ${skew} s, so nothing was erased. Start the time synchronisation on both machines.`,
    )
  const ids = await idsOf(db, targets, periods)
  let complete = true
  let held = 0
  const erasable: string[] = []
  for (const id of ids) {
    const retained = await findRetained(db, id, periods)
    const reason = retentionBlocker(retained)
    if (targets.due && reason?.code === 'legal_hold') held += 1
    else if (!retained || reason !== null) {
      complete = false
      say(`${id} cannot be erased because ${reasonText(reason)}.`)
    } else {
      erasable.push(id)
      say(`${dryRun ? 'Would erase' : 'Will erase'} ${describe(retained)}`)
    }
  }
  if (held > 0) say(`${counted(held, 'identification')} cannot be erased because of a legal hold.`)
  if (dryRun || erasable.length === 0) {
    if (ids.length === 0 && held === 0) say('No identification is due for erasure.')
    return complete
  }
  if (!yes && !(await confirmed(erasable.length))) {
    say('Nothing was erased.')
    return false
  }
  for (const id of erasable) {
    const erasure = await eraseIdentification(db, id, periods).catch(notErased)
    if ('detachedFiles' in erasure) {
      if (!(await removeFiles({ db, blobs, say }, erasure.detachedFiles))) complete = false
      say(`Erased ${id}.`)
      continue
    }
    complete = false
    if ('failed' in erasure) say(`${id} was not erased. ${erasure.failed}`)
    else say(`${id} cannot be erased because ${reasonText(erasure.kept)}.`)
  }
  return complete
}

const day = (moment: Date): string => moment.toISOString().slice(0, 10)

/** The reasons why an identification cannot be erased. */
const REASONS: Readonly<Record<RetentionBlocker['code'], (until: string) => string>> = {
  not_found: () => 'it does not exist',
  erased: (until) => `it was already erased on ${until}`,
  beneficiary: () => 'it belongs to an application that names the person as a beneficiary',
  legal_hold: () => 'it is under a legal hold',
  internal_hold: () => 'it has an internal hold',
  unfinished: (until) => `it is unfinished, and it is due on ${until} if nothing changes`,
  not_reminded: () => 'it is unfinished, and the last reminder was not sent 14 days ago',
  not_concluded: () => 'it is not concluded, and it does not wait on the applicant or the client',
  retained: (until) => `its retention period ends on ${until}`,
}

const reasonText = (reason: RetentionBlocker | null): string =>
  reason ? REASONS[reason.code](reason.until ? day(reason.until) : '') : ''

/** SQLSTATEs of a statement that took too long, or that conflicted with another transaction. */
const OF_ONE = new RegExp(`^(40|${CANCELLED})`)

/** Returns the failure of a single erasure, so that the others continue. Throws if the database is unavailable. */
function notErased(error: Error): Erasure | { readonly failed: string } {
  const ofDatabase = findDatabaseError(error)
  const isOfOne = ofDatabase && OF_ONE.test(ofDatabase.code)
  if (isDatabaseUnavailable(error) && !isOfOne) throw error
  // Does not print the driver's message, because it quotes the values of the query.
  return { failed: ofDatabase ? `PostgreSQL returned the error ${ofDatabase.code}.` : error.message }
}

/**
 * Removes files, and returns true if all of them are removed. Housekeeping removes the rest, even if this process dies.
 */
async function removeFiles({ db, blobs, say }: ErasureDeps, ids: readonly string[]): Promise<boolean> {
  const removed: string[] = []
  for (const id of ids) {
    await blobs.remove(id).then(
      () => removed.push(id),
      (error: Error) => say(`The file ${id} was not deleted. ${error.message}`),
    )
  }
  await deleteDetachedFiles(db, removed)
  return removed.length === ids.length
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const describe = ({ id, status, concludedAt, silentUntil, kyb, fileCount }: Retained): string =>
  `identification ${id} (${silentUntil ? `unfinished, due since ${day(silentUntil)}` : `${status} since ${concludedAt && day(concludedAt)}`})` +
  (kyb ? ` with its application ${kyb.id} and ${counted(fileCount, 'file')}` : '')

async function idsOf(db: Database, { identification, kyb, due }: Targets, periods: RetentionPeriods) {
  if (due) return (await findDue(db, periods)).map(({ id }) => id)
  const id = asId(identification ?? kyb ?? '')
  if (kyb === undefined) return [id]
  const ofKyb = await findIdentificationOfKyb(db, id)
  if (ofKyb === null) throw new Error(`There is no application ${id}.`)
  return [ofKyb]
}

/** Returns the ID in lower case. Throws if the text is not an ID, because "not found" would be misleading. */
function asId(text: string): string {
  if (!validate(text)) throw new Error(`${text} is not an ID. Specify a UUID.`)
  return text.toLowerCase()
}

async function confirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Error(
      'The erasure cannot be confirmed without a terminal. Add --yes, or --dry-run for a preview.',
    )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(
    `This cannot be undone. Type "erase" to erase ${counted(count, 'identification')}: `,
  )
  terminal.close()
  return answer.trim() === 'erase'
}

export async function changeLegalHold(
  { db, say }: Pick<ErasureDeps, 'db' | 'say'>,
  identificationId: string,
  on: boolean,
): Promise<void> {
  const id = asId(identificationId)
  const refusal = await transaction(db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, id, on))
  if (refusal !== null) throw new Error(refusal)
  say(`Identification ${id} ${on ? 'is under a legal hold' : 'is no longer under a legal hold'}.`)
}
