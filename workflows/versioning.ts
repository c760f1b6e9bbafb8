/** Options of workflows that finish on the version of the workers that began them. */
import { workflowInfo } from '@temporalio/workflow'

/**
 * Pins the workflow to its version. Temporal refuses a pinned workflow of workers without a version, which have an empty
 * deployment name.
 */
export const pinnedIfVersioned = () =>
  workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' as const } : {}
