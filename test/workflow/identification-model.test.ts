/** Tests random sequences of commands, facts and kills, some of them concurrent, against a small model. */
import type { ChildProcess } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { isInternalOwner, SERVICES } from '../../src/domain/identification/holds.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  blocksOf,
  createImported,
  createSoftKyc,
  eventNamesOf,
  expectAgreement,
  logEvents,
  recordOf,
  statusOf,
  untilWaitingOn,
} from '../support/identification.ts'
import { type Model, newModel, type Step, seen, step } from '../support/identification-model.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'

const RUNS = Number(process.env.MODEL_RUNS ?? 12)
const SEED = Number(process.env.MODEL_SEED ?? 20_261_121)

let worker: ChildProcess
const gatehouse = await startInstance({ deadlineMs: 30_000 })
const receiver = await startReceiver()
await logEvents(gatehouse, receiver.url)
worker = await gatehouse.spawnWorker()
const operator = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const simple = fc.constantFrom<Step>(
  { do: 'close' },
  { do: 'block' },
  { do: 'block' },
  { do: 'unblock' },
  { do: 'unblock' },
  { do: 'account' },
)
const decision = fc
  .constantFrom('approved', 'approved', 'attention', 'rejected', 'initiated')
  .map((outcome) => ({ do: 'decide', outcome }) as Step)
/** Few names, so that steps also repeat a case or close a missing one. */
const name = fc.constantFrom('a', 'b', 'c')
const opening = fc
  .tuple(name, fc.oneof(fc.constant([...SERVICES]), fc.subarray([...SERVICES], { minLength: 1 })))
  .map(([caseName, services]) => ({ do: 'open', name: caseName, services }) as Step)
const shutting = name.map((caseName) => ({ do: 'shut', name: caseName }) as Step)
const aStep = fc.oneof(
  { weight: 5, arbitrary: simple },
  { weight: 3, arbitrary: decision },
  opening,
  opening,
  shutting,
  shutting,
)
/** One step or two concurrent ones. In some turns, the worker is killed during the steps. */
const turn = fc.record({
  planned: fc.oneof(
    { weight: 2, arbitrary: fc.tuple(aStep) },
    { weight: 1, arbitrary: fc.tuple(aStep, aStep) },
  ),
  kill: fc.integer({ min: 1, max: 30 }).map((n) => n === 1),
})
const walk = fc.record({
  start: fc.constantFrom('approved' as const, 'initiated' as const, 'initiated' as const),
  turns: fc.array(turn, { minLength: 4, maxLength: 12, size: 'max' }),
})

const brief = ({ status, body }: ApiResponse): string =>
  status < 300 ? String(status) : `${status} ${body.errors[0].code}`

/** Sends the step. The model knows cases by name, and Gatehouse by ID. */
async function send(id: string, what: Step, ids: Map<string, string>): Promise<string> {
  const path = `/identifications/${id}`
  switch (what.do) {
    case 'close':
      return brief(await gatehouse.api.put(`${path}/close`))
    case 'block':
      return brief(await gatehouse.api.post(`${path}/block`, { reason: 'aml_review' }))
    case 'unblock':
      return brief(await gatehouse.api.post(`${path}/unblock`))
    case 'account':
      return brief(await operator.post(`${path}/accounts`))
    case 'decide':
      return brief(await operator.post(`${path}/decision`, { outcome: what.outcome, reason_code: 'other' }))
    case 'open': {
      const answer = await operator.post(`${path}/cases`, {
        owner: 'transaction_monitoring',
        reason: 'aml_review',
        services: what.services,
      })
      if (answer.status === 201) ids.set(what.name, answer.body.data.id)
      return brief(answer)
    }
    case 'shut':
      return brief(await operator.post(`/cases/${ids.get(what.name) ?? crypto.randomUUID()}/close`))
  }
}

async function readSeen(id: string): Promise<ReturnType<typeof seen>> {
  const { state, accounts } = await recordOf(gatehouse, id)
  return {
    status: await statusOf(gatehouse.api, id),
    version: state.version,
    accounts: accounts.length,
    holds: state.holds
      .map(({ owner, services }) => `${isInternalOwner(owner) ? 'case' : owner}: ${[...services].sort()}`)
      .sort(),
    blocks: (await blocksOf(gatehouse, id)).length,
    events: (await eventNamesOf(gatehouse, id)).sort(),
  }
}

/** The response to a command that was not applied and never will be. */
const NOT_APPLIED = '503 service_unavailable'

async function killWorker(): Promise<void> {
  worker.kill('SIGKILL')
  worker = await gatehouse.spawnWorker()
}

/** Returns every legal result of the steps, in each possible order. */
function legal(model: Model, steps: readonly Step[], given: readonly string[]) {
  const orders =
    steps.length === 1
      ? [[0]]
      : [
          [0, 1],
          [1, 0],
        ]
  return orders.map((order) => {
    const answers: string[] = []
    let after = model
    for (const n of order) {
      if (given[n] === NOT_APPLIED) {
        answers[n] = NOT_APPLIED
        continue
      }
      const [answer, next] = step(after, steps[n] as Step)
      answers[n] = answer
      after = next
    }
    return { answers, model: after, seen: seen(after) }
  })
}

test('matches the model in responses, state, blocks, events and versions for any sequence', async () => {
  const property = fc.asyncProperty(walk, async ({ start, turns }) => {
    const id = start === 'approved' ? await createImported(gatehouse.api) : await createSoftKyc(gatehouse.api)
    if (start === 'initiated') await untilWaitingOn(gatehouse, id, 'operator')
    // The verification check made the first change when it passed the decision to an operator.
    let model = newModel(start, start === 'approved' ? 1 : 2)
    const ids = new Map<string, string>()
    let killed = false
    for (const [n, { planned, kill }] of turns.entries()) {
      killed ||= kill
      // A case can be closed only after the turn in which it opens, so names refer to the start of the turn.
      const steps = planned.map((each, m) =>
        each.do === 'open'
          ? { ...each, name: `${each.name}-${n}-${m}` }
          : each.do === 'shut'
            ? renamed(each, ids)
            : each,
      )
      const restart = kill ? killWorker() : null
      const answers = await Promise.all(steps.map((each) => send(id, each, ids)))
      await restart
      const ways = legal(model, steps, answers)
      if (!killed) expect(answers).not.toContain(NOT_APPLIED)
      let now = await readSeen(id)
      const match = () =>
        ways.find((way) => JSON.stringify([way.answers, way.seen]) === JSON.stringify([answers, now]))
      // A fact is durable when its request succeeds. After a kill, it may take effect later.
      const taken = killed
        ? await eventually(async () => {
            now = await readSeen(id)
            return match() ?? Promise.reject(new Error('not yet'))
          }).catch(() => undefined)
        : match()
      if (!taken) {
        // This assertion always fails, to show the difference from one of the orders.
        const [way] = ways
        expect({ n, steps, answers, seen: now }).toEqual({ n, steps, answers: way?.answers, seen: way?.seen })
        throw new Error('only the other order would be legal')
      }
      model = taken.model
    }
    await expectAgreement(gatehouse, id)
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
})

/** Returns the step with the newest case whose name has this prefix. */
function renamed(what: Extract<Step, { do: 'shut' }>, ids: ReadonlyMap<string, string>): Step {
  const newest = [...ids.keys()].filter((key) => key.startsWith(`${what.name}-`)).at(-1)
  return { ...what, name: newest ?? what.name }
}
