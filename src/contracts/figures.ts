/** Figures for operators: what came in, how long decisions took, what waits, why, and what was delivered. */
import { z } from 'zod'
import { REASON_CODES } from '../domain/decision.ts'
import { ENTITY_KINDS } from '../domain/entity.ts'
import {
  APPLICATION_STATES,
  DECISION_OUTCOMES,
  DELIVERY_STATES,
  PERIODS,
  USUAL_PERIOD,
} from '../domain/figures.ts'
import { dataOf, named, unixTime } from './answer.ts'
import { idParam } from './common.ts'

const period = z
  .enum(PERIODS.map(String) as [string, ...string[]])
  .default(String(USUAL_PERIOD))
  .meta({ description: 'Days until today, of UTC.' })
  .transform((days) => PERIODS.find((each) => String(each) === days) ?? USUAL_PERIOD)
const vault_id = idParam.optional()
const kind = z.enum(ENTITY_KINDS).optional()

export const figureQueries = {
  applications: z.strictObject({ period, vault_id, kind }),
  decision_times: z.strictObject({ period, vault_id, kind }),
  queue_ages: z.strictObject({ vault_id, kind }),
  reasons: z.strictObject({ period, vault_id, kind }),
  deliveries: z.strictObject({ period, vault_id }),
}

const day = z.iso.date().meta({ description: 'The first day of the step, of UTC.' })
const count = z.int().min(0)
const seconds = count.nullable()
const countsOf = <S extends string>(states: readonly S[]) =>
  Object.fromEntries(states.map((state) => [state, count])) as Record<S, typeof count>
const as_of = unixTime
const period_days = z.int().meta({ examples: [USUAL_PERIOD] })
const overTime = {
  as_of,
  period_days,
  step_days: z.int().meta({ description: '1, or 7 where a row is of a week.', examples: [1] }),
}
const times = { decisions: count, median_seconds: seconds, p90_seconds: seconds }

const figure = <S extends z.ZodRawShape>(name: string, shape: S) => dataOf(named(name, z.strictObject(shape)))

export const figureAnswers = {
  applications: figure('ApplicationsFigure', {
    ...overTime,
    rows: z.array(z.strictObject({ day, ...countsOf(APPLICATION_STATES) })),
  }),
  decision_times: figure('DecisionTimesFigure', {
    ...overTime,
    overall: z.strictObject(times),
    rows: z.array(z.strictObject({ day, ...times })),
  }),
  queue_ages: figure('QueueAgesFigure', {
    as_of,
    longest_seconds: seconds,
    rows: z.array(
      z.strictObject({ from_seconds: count, to_seconds: seconds, kyb: count, identification: count }),
    ),
  }),
  reasons: figure('ReasonsFigure', {
    as_of,
    period_days,
    rows: z.array(z.strictObject({ reason_code: z.enum(REASON_CODES), ...countsOf(DECISION_OUTCOMES) })),
  }),
  deliveries: figure('DeliveriesFigure', {
    ...overTime,
    rows: z.array(z.strictObject({ day, ...countsOf(DELIVERY_STATES) })),
  }),
}
