/** Adds a console link to each entity's workflow. The Temporal UI shows the link. */
import type { ClientInterceptors } from '@temporalio/client'
import { CONSOLE } from '../../workflows/messages.ts'
import { consolePath } from '../domain/entity/console-path.ts'
import { ENTITY_KINDS } from '../domain/entity/entity.ts'

/**
 * Returns the link as a memo, which a workflow keeps when it continues as new. Returns no memo if the workflow has no
 * page in the console.
 */
function memoOf(publicUrl: string, workflowId: string) {
  const kind = ENTITY_KINDS.find((each) => workflowId.startsWith(`${each}-`))
  if (!kind) return {}
  return { memo: { [CONSOLE]: publicUrl + consolePath(kind, workflowId.slice(kind.length + 1)) } }
}

/** Adds the link to every workflow that the client starts. */
export function linkToConsole(publicUrl: string): ClientInterceptors {
  const linked = <O extends { workflowId: string }>(options: O): O => ({
    ...options,
    ...memoOf(publicUrl, options.workflowId),
  })
  return {
    workflow: [
      {
        startWithDetails: (input, next) => next({ ...input, options: linked(input.options) }),
        signalWithStart: (input, next) => next({ ...input, options: linked(input.options) }),
        startUpdateWithStart: (input, next) =>
          next({ ...input, workflowStartOptions: linked(input.workflowStartOptions) }),
      },
    ],
  }
}
