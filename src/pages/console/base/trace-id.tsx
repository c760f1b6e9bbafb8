/** Component: the ID of a trace. With this ID, operators find the trace in the tracing system. */
import { CopyButton } from '../../components/copy.tsx'
import type { Frame } from '../../components/layout.tsx'

export const TraceId = ({ frame, id }: { frame: Frame; id: string | null }) =>
  id === null ? null : (
    <div class="quiet screen-only">
      {frame.t('console.trace')}: <code>{id}</code> <CopyButton frame={frame} kind="link" label={id} />
    </div>
  )
