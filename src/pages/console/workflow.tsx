/** The way from what the console shows to its workflow in Temporal's UI. */
import type { ComponentChildren } from 'preact'
import type { Frame } from '../components/layout.tsx'

/** A row of its state: none where the UI's address is not known. */
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
