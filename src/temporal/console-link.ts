/** What Temporal's UI says of an entity's workflow that the workflow does not know: where the console shows it. */
import type { ClientInterceptors } from '@temporalio/client'
import { ENTITY_KINDS } from '../domain/entity.ts'

const PATHS = { kyb: 'kyb', identification: 'identifications' } as const

/** In Markdown, as static details are; none for workflows of nothing that the console shows. */
function detailsOf(publicUrl: string, workflowId: string): { readonly staticDetails?: string } {
  const kind = ENTITY_KINDS.find((each) => workflowId.startsWith(`${each}-`))
  if (!kind) return {}
  const url = `${publicUrl}/console/${PATHS[kind]}/${workflowId.slice(kind.length + 1)}`
  return { staticDetails: `[Open in the console](${url})` }
}

/** For every way by which a workflow is started. */
export function linkToConsole(publicUrl: string): ClientInterceptors {
  const linked = <O extends { workflowId: string }>(options: O): O => ({
    ...options,
    ...detailsOf(publicUrl, options.workflowId),
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
