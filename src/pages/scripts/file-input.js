// @ts-check
/** Shows a button and the name of the chosen file. The words of the browser's own input may be in another language. */
import { create, enliven } from './page.js'

/** @param {HTMLElement} place */
function dress(place) {
  const input = /** @type {HTMLInputElement} */ (place.querySelector('input'))
  const words = /** @type {HTMLTemplateElement} */ (place.querySelector('template'))
  const label = create('label', { className: 'button button-secondary', htmlFor: input.id })
  label.append(words.content)
  const name = create('span', { className: 'quiet' })
  input.classList.add('unseen')
  input.after(label, name)
  const show = () => {
    name.textContent = input.files?.[0]?.name ?? ''
  }
  input.addEventListener('change', show)
  show()
}

enliven('[data-file-input]', dress)
