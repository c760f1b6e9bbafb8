/** Component: the links to the previous and next page of a list. Also reads the page number in the address. */
import type { Frame } from '../../components/layout.tsx'

/** Returns the page number, or 1 if it is missing or invalid. */
export function pageOf(given: unknown): number {
  const page = Number(given ?? 1)
  return Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1
}

interface PageLinksProps {
  readonly frame: Frame
  readonly page: number
  readonly hasMore: boolean
  readonly hrefOf: (page: number) => string
}

/** Renders the links, or nothing if there is only one page. */
export const PageLinks = ({ frame: { t }, page, hasMore, hrefOf }: PageLinksProps) =>
  page > 1 || hasMore ? (
    <nav aria-label={t('console.pages')} class="pages">
      {page > 1 ? (
        <a href={hrefOf(page - 1)} rel="prev">
          {t('console.newer')}
        </a>
      ) : null}
      <span>{t('console.page', { page })}</span>
      {hasMore ? (
        <a href={hrefOf(page + 1)} rel="next">
          {t('console.older')}
        </a>
      ) : null}
    </nav>
  ) : null
