// @ts-check
/** Keeps a page up to date that shows a pending result. Not for pages with inputs. */
import { announce, fetchPage } from './page.js'

const REFRESH_INTERVAL_MS = 5_000
const HIDDEN_MS = 30_000

/**
 * @param {string} asServed the content of the page before scripts changed it
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
    // If the request fails, the page remains unchanged until the next one.
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
