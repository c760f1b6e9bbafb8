// @ts-check
/** Previews the branding of a vault before it is saved. */
import { create, enliven } from './page.js'

const COLOR = /^#[0-9a-f]{6}$/i

/** Returns the relative luminance of a colour. @param {string} color */
function luminance(color) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * Returns the contrast ratio of two colours, with the rules of `src/domain/access/branding.ts`.
 * @param {string} one @param {string} other
 */
function contrast(one, other) {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Shows the chosen colours and logo in the preview. @param {HTMLFormElement} form */
function branding(form) {
  for (const button of form.querySelectorAll('[data-without-scripts]')) button.remove()
  for (const field of form.querySelectorAll('.color-field')) color(/** @type {HTMLElement} */ (field))
  form.addEventListener('change', () => loadColors(form))
  const file = /** @type {HTMLInputElement} */ (form.querySelector('[type="file"]'))
  file.addEventListener('change', () => {
    const [logo] = file.files ?? []
    if (!logo) return
    const url = URL.createObjectURL(logo)
    for (const place of document.querySelectorAll('[data-logo]'))
      place.replaceChildren(create('img', { className: 'logo', src: url, alt: '' }))
  })
}

/** Loads the colours that the pages have with the typed ones. @param {HTMLFormElement} form */
function loadColors(form) {
  const sheet = /** @type {HTMLLinkElement} */ (document.querySelector('.branding-preview link'))
  const query = new URLSearchParams()
  for (const note of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('[data-scheme]'))) {
    const input = note.parentElement?.querySelector('input[type="text"]')
    const value = input instanceof HTMLInputElement ? input.value.trim() : ''
    if (COLOR.test(value)) query.set(note.dataset.scheme ?? '', value.slice(1))
  }
  const [path] = sheet.href.split('?')
  sheet.href = `${path}?${query}`
}

/** Synchronises the colour picker with the text field, and reports the contrast. @param {HTMLElement} field */
function color(field) {
  const [picker, input] = /** @type {HTMLInputElement[]} */ ([...field.querySelectorAll('input')])
  const note = /** @type {HTMLElement} */ (field.nextElementSibling)
  if (!picker || !input) return
  const { scheme, colors = '', good = '', low = '' } = note.dataset
  const name = scheme === 'dark' ? '--brand-dark' : '--brand'
  const decimal = new Intl.NumberFormat(document.documentElement.lang, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
  picker.hidden = false
  const show = () => {
    const value = input.value.trim()
    const isColor = COLOR.test(value)
    note.textContent = ''
    if (value !== '' && !isColor) return
    for (const page of document.querySelectorAll('.preview-page'))
      if (page instanceof HTMLElement || page instanceof SVGElement) {
        if (isColor) page.style.setProperty(name, value)
        // The style sheet contains the colour that a page has by default.
        else page.style.removeProperty(name)
      }
    if (!isColor) return
    picker.value = value
    const [ratio = 0, ...others] = colors.split(' ').map((each) => contrast(value, each))
    const isEnough = Math.min(ratio, ...others) >= 4.5
    note.className = isEnough ? 'contrast contrast-good' : 'contrast'
    note.textContent = (isEnough ? good : low).replace('{ratio}', decimal.format(ratio))
  }
  input.addEventListener('input', show)
  picker.addEventListener('input', () => {
    input.value = picker.value
    // Makes the form count the change.
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
  show()
}

enliven('form[data-branding]', (form) => branding(/** @type {HTMLFormElement} */ (form)))
