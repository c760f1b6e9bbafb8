/** Tests each alert with promtool: it fires on its problem, and stays quiet otherwise. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeUnless, missingProgram } from '../support/available.ts'

const RULES = resolve('deploy/prometheus-rules.yml')
/** The values of each series for two hours, as promtool writes them: a constant, or a counter with its increase. */
const constant = (value: number) => `${value}x120`
const rising = (perMinute: number) => `0+${perMinute}x120`
const HTTP = 'gatehouse_http_request_duration_seconds'
const LATENCY = 'temporal_workflow_task_schedule_to_start_latency_seconds'
const DAY = 86_400
const up = (api: number) => ({
  'up{job="gatehouse-api"}': constant(api),
  'up{job="gatehouse-worker"}': constant(1),
})
const task = (name: string, days: number) => ({
  [`gatehouse_task_age_seconds{task="${name}"}`]: constant(days * DAY),
})

const disk = (name: 'avail' | 'size', values: string) => ({
  [`node_filesystem_${name}_bytes{job="gatehouse-machines", mountpoint="/", fstype="ext4"}`]: values,
})

type Series = Readonly<Record<string, string>>
const CASES: readonly [alert: string, firing: Series, quiet: Series][] = [
  ['GatehouseProcessAway', up(0), up(1)],
  ['GatehouseProcessAway', {}, up(1)],
  [
    'GatehouseNotReady',
    { 'gatehouse_unavailable{reason="database_away"}': constant(1) },
    {
      'gatehouse_unavailable{reason="database_away"}': constant(0),
      'gatehouse_unavailable{reason="stopping"}': constant(1),
    },
  ],
  [
    'GatehouseTemporalAway',
    { 'gatehouse_unavailable{reason="temporal_away"}': constant(1) },
    { 'gatehouse_unavailable{reason="temporal_away"}': constant(0) },
  ],
  ...[-60, 60].map((skew): (typeof CASES)[number] => [
    'GatehouseClockSkew',
    { gatehouse_clock_skew_seconds: constant(skew) },
    { gatehouse_clock_skew_seconds: constant(skew / 30) },
  ]),
  ['GatehouseTaskOverdue', task('backup', 3), task('backup', 1)],
  ['GatehouseTaskOverdue', task('erasure', 10), task('erasure', 8)],
  ['GatehouseTaskOverdue', task('restore_check', 10), task('restore_check', 8)],
  [
    'GatehouseBackupDiskFull',
    { gatehouse_backup_bytes: constant(6), gatehouse_backup_disk_free_bytes: constant(11) },
    { gatehouse_backup_bytes: constant(5), gatehouse_backup_disk_free_bytes: constant(11) },
  ],
  [
    'GatehouseDiskFull',
    { 'gatehouse_disk_free_ratio{folder="/files"}': constant(0.05) },
    { 'gatehouse_disk_free_ratio{folder="/files"}': constant(0.5) },
  ],
  [
    'GatehouseMachineDiskFull',
    { ...disk('avail', constant(5)), ...disk('size', constant(100)) },
    { ...disk('avail', constant(50)), ...disk('size', constant(100)) },
  ],
  ['GatehouseMachineDiskFills', disk('avail', '10000-10x120'), disk('avail', '10000-1x120')],
  [
    'GatehouseCertificateExpires',
    { gatehouse_certificate_remaining_seconds: constant(-DAY) },
    { gatehouse_certificate_remaining_seconds: constant(30 * DAY) },
  ],
  [
    'GatehouseServerErrors',
    { [`${HTTP}_count{status="500"}`]: rising(10), [`${HTTP}_count{status="200"}`]: rising(100) },
    { [`${HTTP}_count{status="404"}`]: rising(10), [`${HTTP}_count{status="200"}`]: rising(100) },
  ],
  [
    'GatehouseSlowAnswers',
    {
      [`${HTTP}_bucket{le="2.5"}`]: rising(1),
      [`${HTTP}_bucket{le="5"}`]: rising(10),
      [`${HTTP}_bucket{le="+Inf"}`]: rising(10),
    },
    { [`${HTTP}_bucket{le="2.5"}`]: rising(10), [`${HTTP}_bucket{le="+Inf"}`]: rising(10) },
  ],
  [
    'GatehouseCommandsNotApplied',
    {
      'gatehouse_command_duration_seconds_count{outcome="withdrawn"}': rising(10),
      'gatehouse_command_duration_seconds_count{outcome="applied"}': rising(100),
    },
    {
      'gatehouse_command_duration_seconds_count{outcome="refused"}': rising(10),
      'gatehouse_command_duration_seconds_count{outcome="applied"}': rising(100),
    },
  ],
  [
    'GatehouseFilesUnavailable',
    { 'gatehouse_file_store_requests_total{outcome="unavailable"}': rising(1) },
    { 'gatehouse_file_store_requests_total{outcome="succeeded"}': rising(1) },
  ],
  [
    'GatehouseConnectionsAwaited',
    { gatehouse_database_pool_waiting: constant(20) },
    { gatehouse_database_pool_waiting: constant(5) },
  ],
  [
    'GatehouseEventLoopDelayed',
    { nodejs_eventloop_lag_p99_seconds: constant(1) },
    { nodejs_eventloop_lag_p99_seconds: constant(0.1) },
  ],
  [
    'GatehouseDeliveriesLate',
    { gatehouse_delivery_oldest_pending_seconds: constant(300) },
    { gatehouse_delivery_oldest_pending_seconds: constant(30) },
  ],
  [
    'GatehouseDeliveriesFail',
    {
      'gatehouse_delivery_attempts_total{status="failed"}': rising(5),
      'gatehouse_delivery_attempts_total{status="completed"}': rising(10),
    },
    {
      'gatehouse_delivery_attempts_total{status="failed"}': rising(1),
      'gatehouse_delivery_attempts_total{status="completed"}': rising(10),
    },
  ],
  [
    'GatehouseUrlsFail',
    { gatehouse_delivery_failing_urls: constant(1) },
    { gatehouse_delivery_failing_urls: constant(0) },
  ],
  [
    'GatehouseHousekeepingStopped',
    { gatehouse_housekeeping_last_pass_timestamp_seconds: constant(0) },
    { gatehouse_housekeeping_last_pass_timestamp_seconds: rising(60) },
  ],
  [
    'GatehouseHousekeepingFails',
    { gatehouse_housekeeping_step_failures_total: rising(2) },
    { gatehouse_housekeeping_step_failures_total: constant(20) },
  ],
  [
    'GatehouseQueueOld',
    { gatehouse_queue_oldest_seconds: constant(4 * DAY) },
    { gatehouse_queue_oldest_seconds: constant(2 * DAY) },
  ],
  [
    'GatehouseWorkflowTasksLate',
    {
      [`${LATENCY}_bucket{le="1"}`]: rising(1),
      [`${LATENCY}_bucket{le="5"}`]: rising(10),
      [`${LATENCY}_bucket{le="+Inf"}`]: rising(10),
    },
    { [`${LATENCY}_bucket{le="1"}`]: rising(10), [`${LATENCY}_bucket{le="+Inf"}`]: rising(10) },
  ],
]

test('covers every alert', () => {
  const { groups } = parse(readFileSync(RULES, 'utf8'))
  const alerts = groups.flatMap(({ rules }: { rules: { alert: string }[] }) =>
    rules.map(({ alert }) => alert),
  )
  expect(new Set(CASES.map(([alert]) => alert))).toEqual(new Set(alerts))
})

describeUnless(missingProgram('promtool', 'promtool', '--version'), 'The alerts', () => {
  const run = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' })

  test('are valid rules', () => {
    expect(run('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toContain('SUCCESS')
  })

  test('fire on their problem, and stay quiet otherwise', () => {
    const expectation = (alert: string, series: Series, isFiring: boolean) => ({
      name: `${alert} ${isFiring ? 'fires' : 'stays quiet'}`,
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: `count by (alertname) (ALERTS{alertname="${alert}", alertstate="firing"}) > bool 0`,
          eval_time: '110m',
          exp_samples: isFiring ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
        },
      ],
    })
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rules-'))
    const file = join(folder, 'test.yml')
    const tests = CASES.flatMap(([alert, firing, quiet]) => [
      expectation(alert, firing, true),
      expectation(alert, quiet, false),
    ])
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    try {
      expect(run('test', 'rules', file)).toContain('SUCCESS')
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(stdout + stderr, { cause: error })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
