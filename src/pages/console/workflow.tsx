/** Component: the link from a case to its workflow in the Temporal UI. */
import type { ComponentChildren } from 'preact'
import type { Frame } from '../components/layout.tsx'

/** Returns the row with the link, or no row if the address of the Temporal UI is not configured. */
export const workflowRow = (
  { t }: Frame,
  { id, url }: { readonly id: string; readonly url: string | null },
): readonly (readonly [label: string, value: ComponentChildren])[] =>
  url === null
    ? []
    : [
        [
          t('console.workflow'),
          <a href={url} target="_blank" rel="noopener noreferrer">
            {id}
          </a>,
        ],
      ]
