// @ts-check
/** Removes a toast after some time, unless it has the focus or the pointer. */
import { enliven } from './page.js'

const SHOWN_MS = 6_000

enliven('[data-toast]', (toast) => {
  const leave = () => {
    if (toast.matches(':hover, :focus-within')) setTimeout(leave, SHOWN_MS)
    else toast.remove()
  }
  setTimeout(leave, SHOWN_MS)
})
