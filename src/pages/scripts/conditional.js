// @ts-check
/** Shows a question while the answers of its form require it. */
import { enliven } from './page.js'

/**
 * Evaluates the condition as the server does after saving (src/domain/kyb/condition.ts).
 * @param {{ is?: unknown, isNot?: string, has?: string }} condition
 * @param {readonly string[]} values
 */
function holds(condition, values) {
  if ('is' in condition) return values.includes(String(condition.is))
  if ('isNot' in condition) return values.length > 0 && !values.includes(String(condition.isNot))
  if ('has' in condition) return values.includes(String(condition.has))
  return values.length > 0
}

/** @param {HTMLElement} question */
function conditional(question) {
  const form = /** @type {HTMLFormElement} */ (question.closest('form'))
  const { field, ...condition } = JSON.parse(question.dataset.asked ?? '')
  const update = () => {
    const values = new FormData(form).getAll(field).map((value) => String(value).trim())
    question.hidden = !holds(condition, values.filter(Boolean))
  }
  for (const event of ['input', 'change']) form.addEventListener(event, update)
  // The browser restores the entered values after it has loaded a page from its history.
  window.addEventListener('pageshow', update)
}

enliven('[data-asked]', conditional)
