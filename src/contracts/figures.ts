/** Figures for operators: what came in, how long decisions took, what waits, why, and what was delivered. */
import { z } from 'zod'
import { REASON_CODES } from '../domain/decision/decision.ts'
import { ENTITY_KINDS } from '../domain/entity.ts'
import {
  APPLICATION_STATES,
  DECISION_OUTCOMES,
  DELIVERY_STATES,
  PERIODS,
  USUAL_PERIOD,
} from '../domain/figures.ts'
import { idParam } from './common.ts'
import { dataOf, named, unixTime } from './response.ts'

const period = z
  .enum(PERIODS.map(String) as [string, ...string[]])
  .default(String(USUAL_PERIOD))
  .meta({ description: 'Days until today, of UTC.' })
  .transform((days) => PERIODS.find((each) => String(each) === days) ?? USUAL_PERIOD)
const vault_id = idParam.optional().describe('Of this vault alone; without it, of all.')
const kind = z.enum(ENTITY_KINDS).optional().describe('Applications or identifications alone.')

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
/** The words for each state are what it is called by. */
const countsOf = <S extends string>(states: readonly S[]) =>
  Object.fromEntries(
    states.map((state) => [state, count.describe(`How many: ${state.replaceAll('_', ' ')}.`)]),
  ) as Record<S, typeof count>
const rowsOf = <S extends z.ZodRawShape>(shape: S) =>
  z.array(z.strictObject(shape)).describe('The rows of the table, all of them.')
const as_of = unixTime.describe('When it was counted, in Unix seconds.')
const period_days = z.int().meta({ description: 'Days until today.', examples: [USUAL_PERIOD] })
const overTime = {
  as_of,
  period_days,
  step_days: z.int().meta({ description: '1, or 7 where a row is of a week.', examples: [1] }),
}
const times = {
  decisions: count.describe('How many decisions there were.'),
  median_seconds: seconds.describe('Half of them took no longer; null where there was none.'),
  p90_seconds: seconds.describe('Nine in ten took no longer; null where there was none.'),
}

const figure = <S extends z.ZodRawShape>(name: string, shape: S) => dataOf(named(name, z.strictObject(shape)))

export const figureResponses = {
  applications: figure('ApplicationsFigure', {
    ...overTime,
    rows: rowsOf({ day, ...countsOf(APPLICATION_STATES) }),
  }),
  decision_times: figure('DecisionTimesFigure', {
    ...overTime,
    overall: z.strictObject(times).describe('Of the whole period.'),
    rows: rowsOf({ day, ...times }),
  }),
  queue_ages: figure('QueueAgesFigure', {
    as_of,
    longest_seconds: seconds.describe('How long the oldest has waited; null where nothing waits.'),
    rows: rowsOf({
      from_seconds: count.describe('Those that have waited so long at least.'),
      to_seconds: seconds.describe('And less than this; null for the last row.'),
      kyb: count.describe('How many applications.'),
      identification: count.describe('How many identifications.'),
    }),
  }),
  reasons: figure('ReasonsFigure', {
    as_of,
    period_days,
    rows: rowsOf({
      reason_code: z.enum(REASON_CODES).describe('The reason that was given.'),
      ...countsOf(DECISION_OUTCOMES),
    }),
  }),
  deliveries: figure('DeliveriesFigure', {
    ...overTime,
    rows: rowsOf({ day, ...countsOf(DELIVERY_STATES) }),
  }),
}
