/** What an entity's workflow is told to show in Temporal's UI, and does not know by itself: where the console is. */
import type { ClientInterceptors } from '@temporalio/client'
import { CONSOLE } from '../../workflows/messages.ts'
import { consolePath, ENTITY_KINDS } from '../domain/entity.ts'

/** A memo, which a workflow keeps when it continues as new; none for workflows of what no console shows. */
function memoOf(publicUrl: string, workflowId: string) {
  const kind = ENTITY_KINDS.find((each) => workflowId.startsWith(`${each}-`))
  if (!kind) return {}
  return { memo: { [CONSOLE]: publicUrl + consolePath(kind, workflowId.slice(kind.length + 1)) } }
}

/** For every way by which a workflow is started. */
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
