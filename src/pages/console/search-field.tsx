/** Component: a short form that searches for a case. */
import { PostForm } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import type { ConsoleVisit } from './visit.ts'

export const SearchField = ({ visit }: { visit: ConsoleVisit }) => (
  <PostForm visit={visit} action="/console/search" class="search-field">
    <Icon name="search" />
    <input
      type="search"
      name="q"
      class="control"
      aria-label={visit.frame.t('console.search.label')}
      placeholder={visit.frame.t('console.search.find')}
    />
  </PostForm>
)
