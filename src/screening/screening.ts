/** Screens companies, beneficiaries and people against the lists, and stores the hits. */
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as newId } from 'uuid'
import { findKybOfIdentification } from '../db/cases/kyb-application.ts'
import { appendTimeline } from '../db/commands/timeline.ts'
import { type Database, transaction } from '../db/connection/database.ts'
import { saveScreening } from '../db/save/screening.ts'
import {
  clearScreeningOff,
  findDueForScreening,
  findScreenedWith,
  readSubjects,
  SCREENING_OFF,
} from '../db/screening/screening.ts'
import type { EntityRef } from '../domain/entity/entity.ts'
import { sameSubjects } from '../domain/screening/screening.ts'
import type { Logger } from '../process/log.ts'
import { createRescreening } from './rescreening.ts'
import { createRuns } from './runs.ts'
import { OFF, type Screener } from './screener.ts'

interface ScreeningDeps {
  readonly db: Database
  readonly screener: Screener
  readonly log: Logger
}

export interface Screening {
  /**
   * Screens the entity, unless it is already screened with the current lists. Waits for at most `TIMEOUT_MS`, after
   * which the screening continues in the background. Never throws, because housekeeping tries again.
   */
  screen(ref: EntityRef): Promise<void>
  /**
   * Screens entities that have changed or were screened with other lists, for at most this time. Returns their number.
   */
  screenDue(milliseconds: number): Promise<number>
  /** Waits for the screenings in progress. */
  idle(): Promise<void>
}

const TRIES = 3
/** The limits of one process. Between two subjects of a run, every other run screens at most one subject. */
const RUNS = { maxConcurrent: 4, maxRuns: 1_000, maxRunsPerVault: 100 }
/** Shorter than the deadline of any request or activity. */
const TIMEOUT_MS = 2_500
const MAX_FAILURES = 3
/** How many companies and how many people are read at a time. */
const BATCH = 100

export function createScreening({ db, screener, log }: ScreeningDeps): Screening {
  const runs = createRuns(RUNS)
  const rescreening = createRescreening(db, screener)

  async function screenAs(ref: EntityRef, version: string): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const subjects = await readSubjects(db, ref, { lock: false })
      if (!subjects) return
      const matches = await screener.match(subjects)
      const isSaved = await transaction(db, async (tx) => {
        const now = await readSubjects(tx, ref, { lock: true })
        // The entity changed during the screening.
        if (!now || !sameSubjects(now, subjects)) return false
        const opened = await saveScreening(tx, ref, { subjects, matches, version })
        if (opened > 0) await recordHits(tx, ref)
        return true
      })
      if (isSaved) return
    }
  }

  async function screenNow(target: EntityRef): Promise<void> {
    // Must run before the lists are queried, because the lists may be unavailable. Marks entities that passed while
    // screening was off as not screened.
    if (screener !== OFF) await clearScreeningOff(db, target)
    const version = (await screener.version()) ?? SCREENING_OFF
    if ((await findScreenedWith(db, target)) !== version) await screenAs(target, version)
  }
  const warn = ({ entity, id }: EntityRef, err: unknown) => log.warn({ err, entity, id }, 'screening failed')

  return {
    async screen(ref) {
      const run = async () => {
        const target = await findScreenedEntity(db, ref)
        await runs.run(target, () => screenNow(target))
      }
      const screening = run().catch((err) => warn(ref, err))
      await Promise.race([screening, sleep(TIMEOUT_MS, undefined, { ref: false })])
    },
    async screenDue(milliseconds) {
      const until = performance.now() + milliseconds
      const version = await screener.version()
      if (version === null) return 0
      await rescreening.remember(version)
      const attempted: string[] = []
      let [done, failures] = [0, 0]
      const isOver = () => performance.now() > until || failures >= MAX_FAILURES
      while (!isOver()) {
        const due = await findDueForScreening(db, version, BATCH, attempted)
        if (due.length === 0) {
          await rescreening.forget(version)
          break
        }
        const carried = await rescreening.carryOver(due, version)
        done += carried.size
        // Uses a random order, so that entities that cannot be screened do not always come first.
        const left = due.filter(({ id }) => !carried.has(id)).sort(() => Math.random() - 0.5)
        for (const ref of left) {
          if (isOver()) break
          attempted.push(ref.id)
          if (runs.isRunning(ref)) continue
          await screenAs(ref, version).then(
            () => (done += 1),
            (err) => {
              failures += 1
              warn(ref, err)
            },
          )
        }
      }
      return done
    },
    idle: runs.idle,
  }
}

/** Returns the entity that is screened: for a company's identification, its application. */
async function findScreenedEntity(db: Database, ref: EntityRef): Promise<EntityRef> {
  if (ref.entity === 'kyb') return ref
  const application = await findKybOfIdentification(db, ref.vaultId, ref.id)
  return application ? { entity: 'kyb', id: application.id, vaultId: ref.vaultId } : ref
}

const recordHits = (tx: Database, target: EntityRef) =>
  appendTimeline(tx, target, { action: 'screening_hits_found', actor: 'system', causeId: newId() })
