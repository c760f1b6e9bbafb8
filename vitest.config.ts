import { defineConfig } from 'vitest/config'

const common = {
  pool: 'forks' as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

/** Replaces modules, or counts what its process has done. */
const ISOLATED = [
  'test/unit/new-field.test.ts',
  'test/http/sign-in.test.ts',
  'test/http/known-caller.test.ts',
  'test/data/metrics.test.ts',
]
/** Measures times while much happens: other tests would change them. */
const ALONE = [
  'test/topology/**/*.test.ts',
  'test/webhook/processes.test.ts',
  'test/webhook/fairness.test.ts',
]
/** Takes long by nature: thousands of requests, real servers, outages that must last. */
const SLOW = [
  'test/chaos/**/*.test.ts',
  'test/docker/**/*.test.ts',
  'test/data/connections.test.ts',
  'test/data/migration.test.ts',
  'test/data/processes.test.ts',
  'test/data/stall.test.ts',
  'test/http/schemathesis.test.ts',
  'test/workflow/identification-model.test.ts',
]
/** With LOOKS=all they look at each page in every size and colour scheme. */
const LOOKS = process.env.LOOKS === 'all' ? ['test/browser/**/*.test.ts'] : []

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['./test/support/slowest-files.ts', 'default'],
    projects: [
      {
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...ISOLATED, ...SLOW],
          // Files of a process share modules, an instance and a browser.
          isolate: false,
          maxWorkers: 3,
        },
      },
      {
        test: { ...common, name: 'isolated', include: ISOLATED, maxWorkers: 3 },
      },
      {
        test: {
          ...common,
          name: 'slow',
          include: [...SLOW, ...LOOKS],
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: { ...common, name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
