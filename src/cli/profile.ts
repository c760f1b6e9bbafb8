/** Commands: `profile export`, `check`, `compare` and `publish`, for deployments that keep profiles as files. */
import { readFile, writeFile } from 'node:fs/promises'
import { validate } from 'uuid'
import { parseJsonOrRefuse } from '../contracts/check.ts'
import { profileDocument } from '../contracts/profile.ts'
import { findVault } from '../db/access/vault.ts'
import type { Database } from '../db/connection/database.ts'
import { BY_COMMAND_LINE } from '../domain/access/audit.ts'
import type { Granted } from '../domain/access/grant.ts'
import { ERRORS, RequestRefused } from '../domain/base/errors.ts'
import { compareProfiles, differenceInWords } from '../domain/profile/comparison.ts'
import type { Part, ProfileDocument } from '../domain/profile/document.ts'
import { completeRows } from '../domain/profile/draft.ts'
import { SHIPPED } from '../domain/profile/shipped/index.ts'
import { SHIPPED_NAMES } from '../domain/profile/shipped/profile.ts'
import type { Names } from '../domain/profile/words.ts'
import { problemsOf, publicationOf, publishDraft, replaceDraft } from '../use-cases/access/profile.ts'
import { getProfileState } from '../use-cases/access/profile-draft.ts'
import type { ProfileAction, Values } from './command-line.ts'

interface ProfileDeps {
  readonly db: Database
  readonly say: (line: string) => void
}

/** The owner of the machine, who needs no second administrator. */
const OWNER: Granted = { grants: [{ role: 'administrator', vaultId: null }] }

/** Runs the action. Returns false if the profile has problems or, for `compare`, differs from the newest version. */
export async function runProfile(deps: ProfileDeps, action: ProfileAction, vaultId: string, given: Values) {
  const vault = validate(vaultId) ? await findVault(deps.db, vaultId) : null
  if (!vault) throw new Error('There is no vault with this ID.')
  if (action === 'export') return exportTo(deps, vaultId, given.out)
  const document = await documentOf(given)
  if (action === 'compare') return compare(deps, vaultId, document)
  const problems = await problemsOf(deps.db, vaultId, { document })
  for (const { path, message } of problems) deps.say(`${path}: ${message}`)
  if (problems.length > 0) return false
  if (action === 'check') deps.say('The profile has no problems.')
  else await publish(deps, vaultId, document, given.from)
  return true
}

async function exportTo({ db, say }: ProfileDeps, vaultId: string, out: string | undefined): Promise<true> {
  const { draft, published } = await getProfileState({ db }, OWNER, vaultId)
  const text = JSON.stringify(draft?.document ?? published, null, 2)
  if (out === undefined) say(text)
  else await writeFile(out, `${text}\n`)
  return true
}

/** Returns the profile in the file, or the one that Gatehouse ships under this name. */
async function documentOf({ file, name }: Values): Promise<ProfileDocument> {
  const shipped = SHIPPED_NAMES.find((each) => each === name)
  if (shipped) return SHIPPED[shipped].document
  if (!file) throw new Error(`Specify --file, or --name with one of ${SHIPPED_NAMES.join(', ')}.`)
  try {
    return parseJsonOrRefuse(profileDocument, await readFile(file)) as ProfileDocument
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${file} is not a JSON file.`)
    if (!(error instanceof RequestRefused)) throw error
    const places = error.problems.map(({ field, code, message = ERRORS[code].message }) =>
      [field, message].filter(Boolean).join(': '),
    )
    throw new Error([`${file} is not a profile.`, ...places].join('\n'))
  }
}

async function compare({ db, say }: ProfileDeps, vaultId: string, document: ProfileDocument) {
  const { published } = await getProfileState({ db }, OWNER, vaultId)
  const differences = compareProfiles(published, document)
  for (const difference of differences) {
    const names = { before: namesOf(published, difference.part), after: namesOf(document, difference.part) }
    const { title, text, changes } = differenceInWords(names, difference)
    say([title, text].filter(Boolean).join('. '))
    for (const { name, before, after } of changes)
      say(`  ${name}: ${before || 'nothing'} → ${after || 'nothing'}`)
  }
  if (differences.length === 0) say('The profile does not differ from the newest version.')
  return differences.length === 0
}

/** Returns names in English, and the paths of fields without a label. */
function namesOf(document: ProfileDocument, part: Part): Names {
  const rows = new Map(completeRows(document, part).map((row) => [row.path, row]))
  return {
    language: 'en',
    field: (path) => rows.get(path)?.label?.en ?? path,
    value: (path, value) => rows.get(path)?.value_labels?.[value]?.en ?? null,
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

async function publish(
  { db, say }: ProfileDeps,
  vaultId: string,
  document: ProfileDocument,
  from: string | undefined,
): Promise<void> {
  const day = from === undefined ? undefined : new Date(`${from}T00:00:00Z`)
  if (day && (!DAY.test(from ?? '') || Number.isNaN(day.getTime())))
    throw new Error('--from requires a date, such as 2027-01-01.')
  await replaceDraft({ db }, OWNER, BY_COMMAND_LINE, vaultId, document)
  const publication = await publicationOf({ db }, OWNER, vaultId, day)
  const { version } = await publishDraft(db, BY_COMMAND_LINE, publication)
  say(`Published version ${version}.`)
}
