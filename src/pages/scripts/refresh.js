// @ts-check
/** Keeps a page that shows a pending result up to date. The script must not run on pages with inputs. */
import { announce, enliven, enlivenAll, fetchPage } from './page.js'

const REFRESH_INTERVAL_MS = 5_000
const HIDDEN_MS = 30_000

/** The content of the page before scripts have changed it. */
let asServed = document.querySelector('main')?.innerHTML

function refresh() {
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
    // If the request fails, the page remains unchanged until the next request.
    const isAnswer = answer && (answer.response.ok || answer.response.status === 401)
    if (!isAnswer || !shown || !main || main.innerHTML === asServed) return next()
    document.removeEventListener('visibilitychange', whenShown)
    // Loads another page completely, because its progress is outside the main part.
    if (answer.response.redirected) return location.replace(answer.response.url)
    document.title = answer.page.title
    asServed = main.innerHTML
    const parts = main.querySelectorAll('details')
    for (const [n, { open }] of shown.querySelectorAll('details').entries())
      parts[n]?.toggleAttribute('open', open)
    shown.replaceWith(main)
    announce(main.querySelector('h1')?.textContent ?? '')
    enlivenAll(main)
    // The result may need other scripts, which start on the new content by themselves.
    for (const { src } of answer.page.scripts) void import(src)
  }
}

enliven('[data-refresh]', refresh)
