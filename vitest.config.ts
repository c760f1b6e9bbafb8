import { defineConfig } from 'vitest/config'

const common = {
  pool: 'forks' as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

/** What looks at how long things take while much happens; beside others it would measure those. */
const ALONE = [
  'test/topology/**/*.test.ts',
  'test/webhook/processes.test.ts',
  'test/webhook/fairness.test.ts',
]
/** What replaces modules, or counts what its process has done. */
const OWN_PROCESS = [
  'test/unit/new-field.test.ts',
  'test/http/sign-in.test.ts',
  'test/http/known-caller.test.ts',
  'test/data/metrics.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...OWN_PROCESS],
          // Most of what a file would load anew is the same for all.
          isolate: false,
          maxWorkers: 3,
        },
      },
      {
        test: {
          ...common,
          name: 'own process',
          include: OWN_PROCESS,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'alone',
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
