/** Limits how many commands a process has in Temporal at a time, and selects the next command. */
import { createFairSlots, type Share } from '../process/fair-slots.ts'

/** A command with less time left than this may be too late even if it is next. */
const ENOUGH_MS = 1_500
/**
 * A command that takes longer than this may be waiting for a workflow that does not respond. Such a wait causes no work
 * in Temporal.
 */
const MAX_MS = 2_000
/**
 * The maximum number of slow commands that may release their slots. If all commands are slow, admitting more would slow
 * them down further.
 */
const MAX_BEYOND = 4

interface Candidate extends Share {
  readonly workflowId: string
  /** The deadline, as a time of `Date.now()`. */
  readonly until: number
}

interface Waiting extends Candidate {
  readonly settle: (isAdmitted: boolean) => void
}

interface Limits {
  readonly maxConcurrent: number
  /** The maximum per vault. If it is below `maxConcurrent`, slots remain free for other vaults. */
  readonly maxPerVault?: number
  readonly maxPerWorkflow: number
  readonly longestMs?: number
}

/** Calls `work` when the command has a slot. Returns null if the command gets no slot before its deadline. */
type Admission = <T>(candidate: Candidate, work: () => Promise<T>) => Promise<T | null>

/**
 * Creates the limit. Vaults share the slots, and so do the callers of a vault. A caller's next command is the one with
 * the least time left, if this time is enough. Otherwise, it is the command with the most time left. In an overload,
 * the oldest commands have hardly any time left. If they went first, each would delay the next one, and all would be
 * too late.
 */
export function createAdmission({
  maxConcurrent,
  maxPerVault = maxConcurrent,
  maxPerWorkflow,
  longestMs = MAX_MS,
}: Limits): Admission {
  const inWorkflow = new Map<string, number>()
  /** The number of commands that have released their slots. */
  let beyond = 0

  const canBegin = ({ workflowId }: Waiting) => (inWorkflow.get(workflowId) ?? 0) < maxPerWorkflow

  /** Selects the next command. `waiting` is sorted by deadline. */
  function pick(waiting: Waiting[]): Waiting | undefined {
    const now = Date.now()
    while (waiting[0] && waiting[0].until <= now) waiting.shift()?.settle(false)
    const oldest = waiting.findIndex(canBegin)
    const hasTime = (waiting[oldest]?.until ?? 0) - now >= ENOUGH_MS
    const next = hasTime ? oldest : waiting.findLastIndex(canBegin)
    return next === -1 ? undefined : waiting.splice(next, 1)[0]
  }

  const slots = createFairSlots<Waiting>({
    maxConcurrent,
    maxPerVault,
    pick,
    begin({ workflowId, settle }) {
      inWorkflow.set(workflowId, (inWorkflow.get(workflowId) ?? 0) + 1)
      settle(true)
    },
  })

  function releaseWorkflow(workflowId: string): void {
    const left = (inWorkflow.get(workflowId) ?? 0) - 1
    if (left > 0) inWorkflow.set(workflowId, left)
    else inWorkflow.delete(workflowId)
  }

  return async (candidate, work) => {
    const isAdmitted = await new Promise<boolean>((settle) => {
      const waiting = slots.waitingOf(candidate)
      const position = waiting.findLastIndex(({ until }) => until <= candidate.until) + 1
      waiting.splice(position, 0, { ...candidate, settle })
      slots.fill()
    })
    if (!isAdmitted) return null
    let isBeyond = false
    const overdue = setTimeout(() => {
      if (beyond === MAX_BEYOND) return
      beyond += 1
      isBeyond = true
      slots.leave(candidate)
    }, longestMs)
    try {
      return await work()
    } finally {
      clearTimeout(overdue)
      releaseWorkflow(candidate.workflowId)
      if (isBeyond) {
        beyond -= 1
        slots.fill()
      } else slots.leave(candidate)
    }
  }
}
