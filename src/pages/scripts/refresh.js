// @ts-check
/** A page that waits for something keeps itself current. It is not for pages on which something is entered. */
import { announce, fetchPage } from './page.js'

const REFRESH_INTERVAL_MS = 5_000
const HIDDEN_MS = 30_000

/**
 * @param {string} asServed what the page's content was before scripts touched it
 * @param {(main: HTMLElement) => void} enliven
 */
export function refresh(asServed, enliven) {
  let timer = 0
  const next = () => {
    clearTimeout(timer)
    timer = window.setTimeout(look, document.hidden ? HIDDEN_MS : REFRESH_INTERVAL_MS)
  }
  const whenShown = () => (document.hidden ? next() : look())
  document.addEventListener('visibilitychange', whenShown)
  next()

  async function look() {
    clearTimeout(timer)
    const answer = await fetchPage().catch(() => null)
    const shown = document.querySelector('main')
    const main = answer?.page.querySelector('main')
    // What cannot be reached or is busy is asked again; what is shown stays.
    const isAnswer = answer && (answer.response.ok || answer.response.status === 401)
    if (!isAnswer || !shown || !main || main.innerHTML === asServed) return next()
    document.removeEventListener('visibilitychange', whenShown)
    if (answer.response.redirected) {
      history.replaceState(null, '', answer.response.url)
      document.body.dataset.page = answer.page.body.dataset.page
    }
    document.title = answer.page.title
    shown.replaceWith(main)
    announce(main.querySelector('h1')?.textContent ?? '')
    enliven(main)
  }
}
