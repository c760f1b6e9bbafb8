// @ts-check
/** Counts the unsaved changes of a form. */
import { enliven } from './page.js'

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/** @param {Control} control */
function isChanged(control) {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(({ selected, defaultSelected }, index) => {
      const isPreset = [...control.options].some((each) => each.defaultSelected)
      return selected !== (isPreset || control.multiple ? defaultSelected : index === 0)
    })
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue
  if (control.type === 'checkbox') return control.checked !== control.defaultChecked
  return control.value !== control.defaultValue
}

/** @param {HTMLFormElement} form */
function changes(form) {
  const status = /** @type {HTMLElement} */ (form.querySelector('[data-one]'))
  const count = () => {
    const controls = [...form.elements].filter(
      (each) => each.matches('[name]:not([type="hidden"])') && !(each instanceof HTMLButtonElement),
    )
    const names = controls
      .filter((each) => isChanged(/** @type {Control} */ (each)))
      .map((each) => each.getAttribute('name'))
    const { size } = new Set(names)
    const { one = '', many = '' } = status.dataset
    status.textContent = size === 0 ? '' : size === 1 ? one : many.replace('{count}', String(size))
  }
  form.addEventListener('input', count)
  form.addEventListener('change', count)
  count()
}

enliven('form[data-changes]', (form) => changes(/** @type {HTMLFormElement} */ (form)))
