/** Component: search inputs, and the short form that searches for a case. */
import type { JSX } from 'preact'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import type { ConsoleVisit } from './visit.ts'

export const SearchField = ({ visit }: { visit: ConsoleVisit }) => (
  <PostForm visit={visit} action="/console/search" class="search-field">
    <SearchInput
      label={visit.frame.t('console.search.label')}
      placeholder={visit.frame.t('console.search.find')}
    />
  </PostForm>
)

/** Renders the input with its icon, inside an element with the class `search-field`. */
export const SearchInput = ({ label, ...input }: { label: string } & JSX.IntrinsicElements['input']) => (
  <>
    <Icon name="search" />
    <input
      name="q"
      class="control"
      placeholder={label}
      {...(input as object)}
      type="search"
      aria-label={label}
    />
  </>
)
