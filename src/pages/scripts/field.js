// @ts-check
/** Represents a field that autosave saves, with its value, its stored value and its problem. */
import { announce, create } from './page.js'

/** @typedef {import('./page.js').Problem} Problem */

/** Converts values to text for a comparison, as the server does. @param {readonly string[]} values */
export const plain = (values) =>
  values
    .map((value) => value.replaceAll('\r\n', '\n').trim())
    .filter(Boolean)
    .sort()
    .join()

const MAX_UNSAVED = 5

const TYPED = 'textarea, input:not([type="radio"]):not([type="checkbox"]):not([type="hidden"])'

export class Field {
  /** The latest stored value, as the applicant entered it. */
  stored
  /** True after an input on this page. Before that, values that the browser has restored are not saved. */
  touched = false
  /** The values that were sent but not confirmed. The server may have stored them. @type {string[]} */
  unheard = []
  /** The problem and the value that it concerns. @type {{ problem: Problem, value: string } | null} */
  wrong = null
  /** True while the page shows the message. */
  isTold = false

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLInputElement} was
   * @param {(field: Field, keepsMine: boolean) => void} choose
   */
  constructor(form, was, choose) {
    this.form = form
    /** The hidden input that contains the initial value. */
    this.was = was
    this.name = was.name.slice('was:'.length)
    this.choose = choose
    this.controls = /** @type {(HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]} */ (
      [...form.elements].filter(
        (each) => 'name' in each && (each.name === this.name || each.name === `${this.name}.none`),
      )
    )
    this.box = /** @type {HTMLElement} */ (was.closest('.field'))
    // The page shows a number in the notation of its language.
    this.stored = was.dataset.shown ?? was.value
    const message = this.box.querySelector('.problem')
    if (message instanceof HTMLElement) {
      const theirs = message.dataset.theirs && JSON.parse(message.dataset.theirs)
      const conflict = theirs && { theirs, stored: was.value }
      this.showMessage({ field: this.name, message: message.textContent ?? '', ...conflict })
    }
  }

  get values() {
    const data = new FormData(this.form)
    return [...data.getAll(this.name), ...data.getAll(`${this.name}.none`)].map(String)
  }

  get value() {
    return plain(this.values)
  }

  /** True if the input is incomplete, for example a date without a year. */
  get isHalf() {
    return this.controls.some(({ validity }) => validity.badInput)
  }

  get isUnsaved() {
    const { value } = this
    const isOther = value !== this.stored || this.unheard.some((each) => each !== value)
    return this.touched && (isOther || this.isHalf)
  }

  /** True if the value must be sent. A refused value must change first. In a conflict, the applicant must choose first. */
  get isWaiting() {
    return this.isUnsaved && !this.isHalf && !this.theirs && this.value !== this.wrong?.value
  }

  /** Returns the initial value and all sent values that the server may have stored since. */
  get began() {
    return [this.was.value, ...this.unheard.filter((each) => each !== this.value)]
  }

  /** @param {string} value */
  sent(value) {
    this.forget(value)
    this.unheard = [...this.unheard, value].slice(-MAX_UNSAVED)
  }

  /** Removes a value that was not stored. Earlier values may be stored. @param {string} value */
  forget(value) {
    this.unheard = this.unheard.filter((each) => each !== value)
  }

  /** Removes all values up to the one that the server has confirmed. @param {string} value */
  heard(value) {
    this.unheard = this.unheard.slice(this.unheard.indexOf(value) + 1)
  }

  get theirs() {
    return this.wrong?.problem.theirs
  }

  get isBeingTyped() {
    return this.controls.some((each) => each === document.activeElement && each.matches(TYPED))
  }

  /**
   * @param {string} value
   * @param {string} stored the value that the server reports
   * @param {string | null} [echo] the value as the page shows it below the input
   */
  settle(value, stored, echo = null) {
    this.heard(value)
    this.stored = value
    this.was.value = stored
    const shown = this.form.querySelector(`[data-echo="${this.name}"]`)
    if (shown) shown.textContent = echo
    this.mend()
  }

  /**
   * Handles a refused value. Shows the message only when the applicant has finished typing.
   * @param {Problem} problem
   * @param {string} value
   */
  refuse(problem, value) {
    if (problem.theirs) {
      this.heard(value)
      this.was.value = problem.stored ?? plain(problem.theirs)
      if (this.value === plain(problem.theirs)) return this.settle(this.value, this.was.value)
    } else this.forget(value)
    this.wrong = { problem, value }
    if (this.isTold || problem.theirs || !this.isBeingTyped) this.showMessage(problem)
  }

  tellRefused() {
    if (this.wrong && !this.isTold && this.value === this.wrong.value) this.showMessage(this.wrong.problem)
  }

  /** @param {Problem} problem */
  showMessage(problem) {
    this.hideMessage()
    this.isTold = true
    this.wrong ??= { problem, value: this.value }
    const id = `${this.name}-problem`
    const message = create('p', { className: 'problem', id, textContent: problem.text ?? problem.message })
    this.was.before(message)
    announce(problem.message)
    if (problem.theirs) message.after(this.choice())
    this.box.classList.add('field-invalid')
    this.described.setAttribute('aria-describedby', [...this.otherDescriptions, message.id].join(' '))
    if (!this.isGroup) this.described.setAttribute('aria-invalid', 'true')
  }

  /** Removes the problem and hides its message. */
  mend() {
    this.wrong = null
    this.hideMessage()
  }

  hideMessage() {
    if (!this.isTold && !this.box.querySelector('.problem')) return
    this.isTold = false
    for (const each of this.box.querySelectorAll('.problem, .choose')) each.remove()
    this.box.classList.remove('field-invalid')
    this.described.setAttribute('aria-describedby', this.otherDescriptions.join(' '))
    if (this.otherDescriptions.length === 0) this.described.removeAttribute('aria-describedby')
    this.described.removeAttribute('aria-invalid')
  }

  get isGroup() {
    return this.box.tagName === 'FIELDSET'
  }

  /** The element to which the message belongs: the control, or the group of controls. */
  get described() {
    const control = this.controls.find(({ type }) => type !== 'hidden')
    return this.isGroup || !control ? this.box : control
  }

  get otherDescriptions() {
    const ids = (this.described.getAttribute('aria-describedby') ?? '').split(' ')
    return ids.filter((id) => id !== '' && id !== `${this.name}-problem`)
  }

  focus() {
    this.described.closest('details')?.setAttribute('open', '')
    this.described.focus()
  }

  /** Returns two buttons with which the applicant chooses the entered value or the other one. */
  choice() {
    const template = /** @type {HTMLTemplateElement} */ (this.form.querySelector('template[data-choose]'))
    const part = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
    for (const button of part.querySelectorAll('button')) {
      button.setAttribute('aria-describedby', `${this.name}-problem`)
      button.addEventListener('click', () => this.choose(this, 'keep' in button.dataset))
    }
    return part
  }

  /** Replaces the entered value with the other one. */
  take() {
    const theirs = this.theirs ?? []
    for (const control of this.controls) {
      if (control instanceof HTMLInputElement && ['radio', 'checkbox'].includes(control.type))
        control.checked = theirs.includes(control.value)
      else if (control.type !== 'hidden') control.value = theirs[0] ?? ''
      control.dispatchEvent(new Event('change'))
    }
    this.settle(this.value, this.wrong?.problem.stored ?? plain(theirs))
  }
}
