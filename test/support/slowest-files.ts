/** Prints the twenty slowest files of a run. Their durations include the loading time. */
import type { Reporter, TestModule } from 'vitest/node'

const COUNT = 20

/** Returns the duration of a file, including its setup before the first test. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    module.diagnostic()
  return (collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration) / 1000
}

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < 2) return
    const slowest = modules
      .map((module) => ({ seconds: secondsOf(module), name: module.relativeModuleId }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, COUNT)
    console.log('\nSlowest files, in seconds:')
    for (const { seconds, name } of slowest) console.log(`${seconds.toFixed(1).padStart(8)}  ${name}`)
  }
}
