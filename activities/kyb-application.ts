/** Activities for the workflow of a KYB application. */

import { isIdentificationClosed } from '../src/db/cases/identification.ts'
import { insertFact } from '../src/db/commands/pending-fact.ts'
import { appendTimeline } from '../src/db/commands/timeline.ts'
import type { Database } from '../src/db/connection/database.ts'
import { addressesOf, insertPersonLinks } from '../src/db/email/person-notice.ts'
import { removedBeneficiaries, saveKybApplication } from '../src/db/save/kyb-application.ts'
import { isApplicant } from '../src/domain/access/access.ts'
import { TYPING_SECONDS } from '../src/domain/email/notice.ts'
import {
  beneficiaryChanged,
  beneficiaryRemoved,
  reviewFinished,
} from '../src/domain/identification/identification.ts'
import { beneficiaryVerified, decideKyb, type KybFact, parseKybFact } from '../src/domain/kyb/application.ts'
import { namedFiles } from '../src/domain/kyb/content.ts'
import { transitionOnKybFact } from '../src/domain/kyb/fact.ts'
import type { KybApplication } from '../src/domain/kyb/record.ts'
import { beneficiaryPath } from '../src/domain/kyb/requirements.ts'
import { transitionKyb } from '../src/domain/kyb/transition.ts'
import { changedKybPaths } from '../src/domain/review/changed-paths.ts'
import { sendFacts } from '../src/temporal/facts.ts'
import type { KybApplicationActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { type Change, contextOf, createEntityActivities, type EntityKind } from './entity.ts'

export function createKybApplicationActivities(deps: ActivityDeps): KybApplicationActivities {
  const kind = {
    ...KYB,
    save: (tx: Database, change: Change<'kyb'>) => save(tx, change, deps.mailer !== null),
  }
  const { applyCommands, applyFact, load } = createEntityActivities(deps, kind)
  return {
    applyKybCommands: applyCommands,
    applyKybFact: applyFact,
    loadKybApplication: load,
    signalKybProcessed: ({ id }) => sendFacts(deps.db, deps.temporal, id),
  }
}

const KYB: Omit<EntityKind<'kyb', KybFact>, 'save'> = {
  entity: 'kyb',
  ownerOf: ({ id }) => ({ kybApplicationId: id }),
  changedPaths: changedKybPaths,
  async prepare(tx, application, { kind }) {
    // After an identification is closed, its application is abandoned a moment later. No decision is allowed in
    // between.
    const isClosed = await isIdentificationClosed(tx, application.vaultId, application.identificationId)
    const refusal = isClosed ? decideKyb({ ...application.state, status: 'abandoned' }, kind) : null
    return refusal ? { problems: [refusal] } : application
  },
  transition(application, row, now) {
    const { command } = row
    const files = new Map(application.files)
    if (command.kind === 'attach') files.set(command.fileId, NO_DETAILS)
    const before = { ...application, files }
    const result = transitionKyb(before, command, contextOf(row, now))
    return 'record' in result && result.record === before ? { ...result, record: application } : result
  },
  parseFact: parseKybFact,
  async causeOf(tx, { vaultId, identificationId, links }, fact) {
    const isTrue =
      fact.kind === 'company_closed'
        ? await isIdentificationClosed(tx, vaultId, identificationId)
        : !isUnverified(links, fact)
    return isTrue ? { actor: 'system', fact } : null
  },
  transitionOnFact: transitionOnKybFact,
}

/** Stands in for the details of files, because the rules need only their IDs. */
const NO_DETAILS = { name: '', size: 0, contentType: '', sha256: '', warnings: [] }

async function save(
  tx: Database,
  { before, record, entries, after }: Change<'kyb'>,
  sendsEmails: boolean,
): Promise<KybApplication> {
  const { renewed, erasedFiles } = await saveKybApplication(tx, before, record)
  after.erasedFiles.push(...erasedFiles)
  const target = { entity: 'kyb', id: before.id, vaultId: before.vaultId } as const
  if (record.state.completed && record.screenedWith === null) after.unscreened.push(target)
  for (const personId of renewed.keys())
    await appendTimeline(tx, target, {
      action: 'verification_ended',
      actor: 'system',
      causeId: `${entries[0]?.causeId}:${personId}`,
      fields: [beneficiaryPath(personId, 'full_name')],
      from: before.state.status,
      to: record.state.status,
    })
  await insertFacts(tx, before, record, [...renewed.keys()], after)
  const invited = invitedBy(before, record, renewed)
  // Pages save while the applicant is typing.
  const delay = isApplicant(entries[0]?.actor ?? '') ? TYPING_SECONDS : 0
  if (sendsEmails && (await insertPersonLinks(tx, record, invited, { delay }))) after.hasEmails = true
  const named = namedFiles(record.form, record.content)
  return {
    ...record,
    files: new Map([...record.files].filter(([file]) => named.has(file))),
    links: new Map([...record.links, ...renewed]),
  }
}

/** Returns the people with a new address or a new link. */
const invitedBy = (
  { content: before }: KybApplication,
  { content: after }: KybApplication,
  renewed: ReadonlyMap<string, unknown>,
) => {
  const known = new Map(before.beneficiaries.beneficiaries_list.map((each) => [each.external_id, each.email]))
  return addressesOf(after).filter(({ id, address }) => known.get(id) !== address || renewed.has(id))
}

/** Inserts the facts that the change causes: about the checks of people who are gone, and about the review. */
async function insertFacts(
  tx: Database,
  before: KybApplication,
  { id, vaultId, identificationId, content, state, review }: KybApplication,
  renewed: readonly string[],
  after: Change<'kyb'>['after'],
): Promise<void> {
  const target = (of: string) => ({ entity: 'identification', id: of, vaultId }) as const
  const removed = removedBeneficiaries(
    before.content.beneficiaries.beneficiaries_list,
    content.beneficiaries.beneficiaries_list,
  )
  after.hasFacts ||= removed.length + renewed.length > 0
  for (const [people, factOf] of [
    [removed, beneficiaryRemoved],
    [renewed, beneficiaryChanged],
  ] as const)
    for (const personId of people) {
      const checkId = before.links.get(personId)?.checkId ?? personId
      await insertFact(tx, id, target(checkId), factOf(checkId))
    }
  const outcome = state.status === 'processed' && review ? review.outcome : 'revision_requested'
  if (outcome !== 'revision_requested')
    await insertFact(tx, id, target(identificationId), reviewFinished(id, outcome))
}

/** Returns true if the fact reports the verification of a person who is not verified. */
const isUnverified = (links: KybApplication['links'], fact: KybFact): boolean =>
  [...links.values()].some(
    ({ checkId, verification }) => beneficiaryVerified(checkId).id === fact.id && verification !== 'approved',
  )
