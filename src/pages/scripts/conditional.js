// @ts-check
/** Shows a question while the answers of its form require it. */
import { isMet } from './condition.js'
import { enliven } from './page.js'

/** @param {HTMLElement} question */
function conditional(question) {
  const form = /** @type {HTMLFormElement} */ (question.closest('form'))
  const condition = JSON.parse(question.dataset.asked ?? '')
  const update = () => {
    const answers = new FormData(form)
    question.hidden = !isMet(condition, (field) =>
      answers
        .getAll(field)
        .flatMap((value) => String(value).split(','))
        .map((value) => value.trim())
        .filter(Boolean),
    )
  }
  for (const event of ['input', 'change']) form.addEventListener(event, update)
  // The browser restores the entered values after it has loaded a page from its history.
  window.addEventListener('pageshow', update)
}

enliven('[data-asked]', conditional)
