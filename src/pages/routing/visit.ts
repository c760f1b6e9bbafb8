/** Describes a visit: a reader with a session, in the language of the page. */
import type { Frame } from '../components/layout.tsx'

export interface Visit {
  readonly frame: Frame
  /** The token that every form on the page must send. */
  readonly csrf: string
  readonly actor: string
}
