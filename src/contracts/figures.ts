/** Schemas for the reports on new cases, decision times, backlog, reasons and deliveries. */
import { z } from 'zod'
import { REASON_CODES } from '../domain/decision/decision.ts'
import { ENTITY_KINDS } from '../domain/entity/entity.ts'
import {
  APPLICATION_STATES,
  DECISION_OUTCOMES,
  DELIVERY_STATES,
  PERIODS,
  USUAL_PERIOD,
} from '../domain/review/figures.ts'
import { described, idParam } from './common.ts'
import { dataOf, named, unixTime } from './response.ts'

const period = z
  .enum(PERIODS.map(String) as [string, ...string[]])
  .default(String(USUAL_PERIOD))
  .meta({ description: 'Number of days up to today, in UTC.' })
  .transform((days) => PERIODS.find((each) => String(each) === days) ?? USUAL_PERIOD)
const vault_id = idParam.optional().describe('Only this vault. If omitted, all vaults.')
const kind = described(
  z.enum(ENTITY_KINDS).optional(),
  'Only applications (`kyb`) or only identifications (`identification`).',
)

export const figureQueries = {
  applications: z.strictObject({ period, vault_id, kind }),
  decision_times: z.strictObject({ period, vault_id, kind }),
  queue_ages: z.strictObject({ vault_id, kind }),
  reasons: z.strictObject({ period, vault_id, kind }),
  deliveries: z.strictObject({ period, vault_id }),
}

const day = z.iso.date().meta({ description: 'First day that the row covers, in UTC.' })
const count = z.int().min(0)
const seconds = count.nullable()
const countsOf = <S extends string>(states: readonly S[]) =>
  Object.fromEntries(
    states.map((state) => [
      state,
      count.describe(`Number of entries with the state or outcome: ${state.replaceAll('_', ' ')}.`),
    ]),
  ) as Record<S, typeof count>
const rowsOf = <S extends z.ZodRawShape>(shape: S) =>
  z.array(z.strictObject(shape)).describe('All rows of the report.')
const as_of = unixTime.describe('Time of the count, in Unix seconds.')
const period_days = described(z.int(), 'Number of days up to today.', USUAL_PERIOD)
const overTime = {
  as_of,
  period_days,
  step_days: described(z.int(), 'Number of days in each row: 1, or 7 for weeks.', 1),
}
const times = {
  decisions: count.describe('Number of decisions.'),
  median_seconds: seconds.describe('Median duration of the decisions, in seconds. Null if there were none.'),
  p90_seconds: seconds.describe('90th percentile of the duration, in seconds. Null if there were none.'),
}

const figure = <S extends z.ZodRawShape>(name: string, shape: S) => dataOf(named(name, z.strictObject(shape)))

export const figureResponses = {
  applications: figure('ApplicationsFigure', {
    ...overTime,
    rows: rowsOf({ day, ...countsOf(APPLICATION_STATES) }),
  }),
  decision_times: figure('DecisionTimesFigure', {
    ...overTime,
    overall: z.strictObject(times).describe('Values for the whole period.'),
    rows: rowsOf({ day, ...times }),
  }),
  queue_ages: figure('QueueAgesFigure', {
    as_of,
    longest_seconds: seconds.describe(
      'Longest time that a case has been awaiting review, in seconds. Null if no case is awaiting review.',
    ),
    rows: rowsOf({
      from_seconds: count.describe('Minimum waiting time of this row, in seconds.'),
      to_seconds: seconds.describe(
        'Upper limit of the waiting time, in seconds (exclusive). Null for the last row.',
      ),
      kyb: count.describe('Number of applications.'),
      identification: count.describe('Number of identifications.'),
    }),
  }),
  reasons: figure('ReasonsFigure', {
    as_of,
    period_days,
    rows: rowsOf({
      reason_code: z.enum(REASON_CODES).describe('Reason code of the decisions.'),
      ...countsOf(DECISION_OUTCOMES),
    }),
  }),
  deliveries: figure('DeliveriesFigure', {
    ...overTime,
    rows: rowsOf({ day, ...countsOf(DELIVERY_STATES) }),
  }),
}
