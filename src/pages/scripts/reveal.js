// @ts-check
/** Shows or hides the password of an input. */
import { enliven } from './page.js'

/** @param {HTMLElement} button */
function reveal(button) {
  const input = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.reveal ?? ''))
  const { show = '', hide = '' } = button.dataset
  button.hidden = false
  button.addEventListener('click', () => {
    const isHidden = input.type === 'password'
    input.type = isHidden ? 'text' : 'password'
    button.textContent = isHidden ? hide : show
  })
}

enliven('[data-reveal]', reveal)
