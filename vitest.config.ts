import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Larger spaces for young objects need fewer collections.
const execArgv = ['--min-semi-space-size=32', '--max-semi-space-size=64']
const common = {
  pool: 'forks' as const,
  execArgv,
  // Generous, because a busy machine may take many times longer than an idle one.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  // Concurrent tests mostly wait.
  maxConcurrency: 20,
  // Waits for a state as long as `eventually` does.
  expect: { poll: { timeout: 300_000 } },
}
/** Loads modules without Vite. They cannot be replaced then. */
const native = {
  execArgv: [...execArgv, '--import', './test/support/native-modules.ts'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
}
const unit = { ...common, maxWorkers: 3 }
const withServers = { ...common, globalSetup: ['test/support/global-setup.ts'], sequence: { groupOrder: 1 } }

/** These need neither PostgreSQL nor Temporal, so they start immediately. */
const UNIT = [
  'test/unit/**/*.test.ts',
  'test/dev/instance-description.test.ts',
  'test/dev/temporal-cli.test.ts',
  'test/http/api/stopping.test.ts',
]
/** This replaces modules that other unit tests use. */
const REPLACING = ['test/unit/project/new-field.test.ts']
/**
 * These replace modules, measure their own process, or (as replays do) set a hook for all its promises, so they cannot
 * share it with other files.
 */
const ISOLATED = [
  'test/data/metrics.test.ts',
  'test/http/access/known-caller.test.ts',
  'test/http/access/sign-in.test.ts',
  'test/replay/replay.test.ts',
]
/** These measure times under load, which other tests would change. */
const ALONE = [
  'test/topology/**/*.test.ts',
  'test/chaos/deliveries-temporal-away.test.ts',
  'test/webhook/fairness.test.ts',
]
/** These flood or stall the whole machine, so only `npm run chaos` runs them. */
const FLOODS = [
  'test/chaos/creations.test.ts',
  'test/chaos/fair-commands.test.ts',
  'test/chaos/large-page.test.ts',
  'test/data/stall.test.ts',
  'test/http/limits/concurrency-limits.test.ts',
]
/** These take long: browsers, thousands of requests, real servers and processes, and outages. */
const SLOW = [
  'test/browser/**/*.test.ts',
  'test/chaos/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'test/deploy/**/*.test.ts',
  'test/docker/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/data/bucket.test.ts',
  'test/data/connections.test.ts',
  'test/data/database-versions.test.ts',
  'test/data/migration.test.ts',
  'test/data/processes.test.ts',
  'test/data/temporal-tls.test.ts',
  'test/data/temporal-version.test.ts',
  'test/dev/frozen.test.ts',
  'test/http/api/database-away.test.ts',
  'test/http/api/idempotency-kill.test.ts',
  'test/http/api/schemathesis.test.ts',
  'test/http/access/scim-tester.test.ts',
  'test/http/api/without-worker.test.ts',
  'test/packages/address-words.test.ts',
  'test/packages/standard-webhooks.test.ts',
  'test/upgrade/**/*.test.ts',
  'test/webhook/processes.test.ts',
  'test/webhook/recovery.test.ts',
  'test/webhook/takeover.test.ts',
  'test/workflow/email-processes.test.ts',
  'test/workflow/identification-model.test.ts',
]

/** These wait for minutes. */
const WAITING =
  /(chaos\/temporal-away|data\/(damaged|processes|traces)|webhook\/(delivery|processes|recovery|url-limits|url-queue)|workflow\/(email-kill|kill|reconcile))\.test/

/** Starts files that wait first, alternating with others, so that none of them is the only one left at the end. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [waiting, others] = [[] as TestSpecification[], [] as TestSpecification[]]
    for (const file of await super.sort(files)) (WAITING.test(file.moduleId) ? waiting : others).push(file)
    return [
      ...waiting.flatMap((file, n) => [file, ...others.slice(n, n + 1)]),
      ...others.slice(waiting.length),
    ]
  }
}

export default defineConfig({
  test: {
    // Keeps compiled modules on disk, so that a repeated run starts sooner.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: WaitingFirst },
    reporters: ['./test/support/slowest-files.ts', 'default'],
    projects: [
      {
        test: { ...unit, ...native, name: 'unit', include: UNIT, exclude: REPLACING, isolate: false },
      },
      {
        test: { ...unit, name: 'unit-isolated', include: REPLACING },
      },
      {
        test: {
          ...withServers,
          ...native,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...FLOODS, ...ISOLATED, ...SLOW, ...UNIT],
          // Files of a process share modules and an instance.
          isolate: false,
          maxWorkers: 4,
          execArgv: [...native.execArgv, '--import', './test/support/fast-argon2.ts'],
        },
      },
      {
        test: { ...withServers, name: 'isolated', include: ISOLATED, maxWorkers: 4 },
      },
      {
        test: {
          ...withServers,
          ...native,
          name: 'slow',
          include: SLOW,
          exclude: [...ALONE, ...FLOODS],
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...withServers,
          ...native,
          name: 'alone',
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...withServers,
          ...native,
          name: 'floods',
          include: FLOODS,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
