/** Limits how many commands a process has in Temporal at a time, and selects the next command. */
import { createFairSlots, type Share } from '../process/fair-slots.ts'

/** A command with less time left than this may be too late even if it is next. */
const ENOUGH_MS = 1_500
/** Such a command may be waiting for a workflow that does not respond, which causes no work. */
const MAX_MS = 2_000
/** If all commands are slow, admitting more would slow them down further. */
const MAX_BEYOND = 4

interface Candidate extends Share {
  readonly workflowId: string
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

/** In an overload, the oldest would delay each other until all are too late, so the newest go first. */
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
