/** Shortens the lists of countries on a page, because complete ones are most of its size. */

const LISTS = /(<select[^>]* data-countries[^>]*>)(.*?)<\/select>/g
/** An option without a value, or a selected one. */
const SHOWN = /<option value(?:=""|="\w+" selected)?>[^<]*<\/option>/g

/** Removes unselected options from all lists except the first one, from which a script copies them. */
export function shortenCountryLists(html: string): string {
  let count = 0
  return html.replace(LISTS, (list: string, start: string, options: string) =>
    count++ === 0 ? list : `${start}${options.match(SHOWN)?.join('') ?? ''}</select>`,
  )
}
