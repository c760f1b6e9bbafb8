/**
 * Downloads the Temporal CLI into the given folder, as the SDK does for tests. Runs in its own process, because the
 * SDK's runtime takes over the signals of its process.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing'

const downloadDir = process.argv[2]
if (!downloadDir) throw new Error('Usage: temporal-download.ts <folder>')
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir } },
  })
  await environment.teardown()
} catch (error) {
  // The message contains the messages of all causes. The last ones are specific.
  console.error((error as Error).message.split(': ').slice(-2).join(': '))
  process.exit(1)
}
