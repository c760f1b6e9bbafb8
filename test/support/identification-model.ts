/** A model of identifications, written from the specification: the rules and their visible effects. */

export type Step =
  | { readonly do: 'close' | 'block' | 'unblock' | 'account' }
  | { readonly do: 'decide'; readonly outcome: 'approved' | 'attention' | 'rejected' | 'initiated' }
  | { readonly do: 'open'; readonly name: string; readonly services: readonly string[] }
  | { readonly do: 'shut'; readonly name: string }

interface ModelHold {
  readonly name: string
  readonly owner: 'client' | 'closure' | 'case'
  readonly services: readonly string[]
}

export interface Model {
  readonly verification: string
  /** True if an operator requested information that no one has provided. */
  readonly isAsked: boolean
  readonly holds: readonly ModelHold[]
  /** Every case ever opened. */
  readonly cases: readonly string[]
  readonly accounts: number
  readonly version: number
  /** `name version`, sorted. */
  readonly events: readonly string[]
}

const FOUR = ['blockchain_payments', 'card_payments', 'fiat_payments', 'trades']

const statusOfModel = ({ verification, holds }: Pick<Model, 'verification' | 'holds'>): string => {
  const held = new Set(holds.flatMap(({ services }) => services))
  return verification === 'approved' && FOUR.every((service) => held.has(service)) ? 'blocked' : verification
}

export const newModel = (verification: 'approved' | 'initiated', version: number): Model => ({
  verification,
  isAsked: false,
  holds: [],
  cases: [],
  accounts: 1,
  version,
  events: ['account_created 1', 'identification_created 1'],
})

/** Returns the model after a change, with the resulting events. */
function change(model: Model, changes: Partial<Model>): Model {
  const next = { ...model, ...changes, version: model.version + 1 }
  const [from, to] = [statusOfModel(model), statusOfModel(next)]
  const events: string[] = []
  if (from !== to) events.push(from === 'blocked' ? 'identification_unblocked' : `identification_${to}`)
  for (let n = model.accounts; n < next.accounts; n += 1) events.push('account_created')
  const turned =
    from === 'blocked' || to === 'blocked'
      ? from === to
        ? next.accounts - model.accounts
        : next.accounts
      : 0
  for (let n = 0; n < turned; n += 1) events.push(to === 'blocked' ? 'account_locked' : 'account_unlocked')
  return {
    ...next,
    events: [...model.events, ...events.map((event) => `${event} ${next.version}`)].sort(),
  }
}

const MOVES: Record<string, readonly string[]> = {
  initiated: ['approved', 'attention', 'rejected', 'initiated'],
  attention: ['approved', 'rejected', 'initiated'],
  rejected: ['attention'],
}

/** Returns the response to a step and the resulting model. */
export function step(model: Model, { ...what }: Step): readonly [answer: string, model: Model] {
  const { verification, holds } = model
  const status = statusOfModel(model)
  const add = (hold: ModelHold) => change(model, { holds: [...holds, hold] })
  switch (what.do) {
    case 'close':
      if (status === 'initiated') return ['200', change(model, { verification: 'closed' })]
      if (status === 'approved') return ['200', add({ name: 'closure', owner: 'closure', services: FOUR })]
      return ['422 cannot_close', model]
    case 'block':
      if (verification !== 'approved') return ['422 cannot_block', model]
      if (holds.some(({ owner }) => owner !== 'case')) return ['200', model]
      return ['200', add({ name: 'client', owner: 'client', services: FOUR })]
    case 'unblock':
      if (status !== 'blocked') return ['422 cannot_unblock', model]
      if (holds.some(({ owner }) => owner === 'case')) return ['422 blocked_by_internal_case', model]
      if (holds.some(({ owner }) => owner === 'closure')) return ['422 cannot_unblock', model]
      return ['200', change(model, { holds: [] })]
    case 'account':
      if (verification === 'closed') return ['403 identification_closed', model]
      return ['201', change(model, { accounts: model.accounts + 1 })]
    case 'decide':
      return MOVES[verification]?.includes(what.outcome) && !(model.isAsked && what.outcome === 'initiated')
        ? ['200', change(model, { verification: what.outcome, isAsked: what.outcome === 'initiated' })]
        : ['422 invalid_transition', model]
    case 'open': {
      if (verification === 'closed') return ['422 invalid_transition', model]
      const { name, services } = what
      return ['201', { ...add({ name, owner: 'case', services }), cases: [...model.cases, name] }]
    }
    case 'shut': {
      if (!model.cases.includes(what.name)) return ['404 not_found', model]
      const left = holds.filter(({ name }) => name !== what.name)
      if (left.length === holds.length) return ['200', model]
      // A closed identification does not change, but its cases are closed.
      if (verification === 'closed') return ['200', { ...model, holds: left }]
      return ['200', change(model, { holds: left })]
    }
  }
}

/** Returns the state that is visible from outside. */
export const seen = (model: Model) => ({
  status: statusOfModel(model),
  version: model.version,
  accounts: model.accounts,
  holds: model.holds.map(({ owner, services }) => `${owner}: ${[...services].sort()}`).sort(),
  blocks:
    model.verification === 'approved'
      ? model.holds.reduce((sum, { services }) => sum + services.length * model.accounts, 0)
      : 0,
  events: model.events,
})
