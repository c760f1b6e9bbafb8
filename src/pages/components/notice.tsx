/** Component: a highlighted block with a heading. */
import type { ComponentChildren } from 'preact'

export const Notice = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="notice">
    <h2>{title}</h2>
    {children}
  </div>
)
