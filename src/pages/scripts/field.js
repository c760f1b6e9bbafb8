// @ts-check
/** A field of a form that saves itself: what it holds, what is known to be stored, and what is wrong with it. */

import { announce } from './page.js'

/** @typedef {import('./page.js').Problem} Problem */

/**
 * As the server compares values.
 * @param {readonly string[]} values
 */
export const plain = (values) =>
  values
    .map((value) => value.replaceAll('\r\n', '\n').trim())
    .filter(Boolean)
    .sort()
    .join()

const MAX_UNSAVED = 5

const TYPED = 'textarea, input:not([type="radio"]):not([type="checkbox"]):not([type="hidden"])'

export class Field {
  /** As it was entered when it was stored. */
  stored
  /** It was entered here; what a browser put in by itself stays unsaved until then. */
  touched = false
  /** Values that were sent and may be stored: nothing was heard of them yet. @type {string[]} */
  unheard = []
  /** What is wrong, with which value. @type {{ problem: Problem, value: string } | null} */
  wrong = null
  /** The message is there to be read. */
  isTold = false

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLInputElement} was
   * @param {(field: Field, keepsMine: boolean) => void} choose
   */
  constructor(form, was, choose) {
    this.form = form
    /** Holds what the form began with. */
    this.was = was
    this.name = was.name.slice('was:'.length)
    this.choose = choose
    this.controls = /** @type {(HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]} */ (
      [...form.elements].filter((each) => 'name' in each && each.name === this.name)
    )
    this.box = /** @type {HTMLElement} */ (was.closest('.field'))
    this.stored = was.value
    const message = this.box.querySelector('.problem')
    if (message instanceof HTMLElement) {
      const theirs = message.dataset.theirs && JSON.parse(message.dataset.theirs)
      this.tell({ field: this.name, message: message.textContent ?? '', ...(theirs && { theirs }) })
    }
  }

  get values() {
    return new FormData(this.form).getAll(this.name).map(String)
  }

  get value() {
    return plain(this.values)
  }

  /** Half a date has no value yet. */
  get isHalf() {
    return this.controls.some(({ validity }) => validity.badInput)
  }

  get isUnsaved() {
    const { value } = this
    const isOther = value !== this.stored || this.unheard.some((each) => each !== value)
    return this.touched && (isOther || this.isHalf)
  }

  /** To be sent: what was refused only once it is another value, and what was overtaken once it was chosen. */
  get isWaiting() {
    return this.isUnsaved && !this.isHalf && !this.theirs && this.value !== this.wrong?.value
  }

  /** What the form began with, by all that may have become of it since. */
  get began() {
    return [this.was.value, ...this.unheard.filter((each) => each !== this.value)]
  }

  /** @param {string} value */
  sent(value) {
    this.forget(value)
    this.unheard = [...this.unheard, value].slice(-MAX_UNSAVED)
  }

  /** It was not stored; what was sent before it may be. @param {string} value */
  forget(value) {
    this.unheard = this.unheard.filter((each) => each !== value)
  }

  /** The server has said what is stored: what was sent before it is of no account any more. @param {string} value */
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
   * @param {string} stored by the server's account
   */
  settle(value, stored) {
    this.heard(value)
    this.stored = value
    this.was.value = stored
    this.mend()
  }

  /**
   * The value is refused. Whoever is still typing is told when they have finished.
   * @param {Problem} problem
   * @param {string} value
   */
  refuse(problem, value) {
    if (problem.theirs) {
      this.heard(value)
      this.was.value = plain(problem.theirs)
      if (this.value === this.was.value) return this.settle(this.value, this.was.value)
    } else this.forget(value)
    this.wrong = { problem, value }
    if (this.isTold || problem.theirs || !this.isBeingTyped) this.tell(problem)
  }

  tellRefused() {
    if (this.wrong && !this.isTold && this.value === this.wrong.value) this.tell(this.wrong.problem)
  }

  /** @param {Problem} problem */
  tell(problem) {
    this.untell()
    this.isTold = true
    this.wrong ??= { problem, value: this.value }
    const message = document.createElement('p')
    message.className = 'problem'
    message.id = `${this.name}-problem`
    message.textContent = problem.message
    this.was.before(message)
    announce(problem.message)
    if (problem.theirs) message.after(this.choice())
    this.box.classList.add('wrong')
    this.described.setAttribute('aria-describedby', [...this.otherDescriptions, message.id].join(' '))
    if (!this.isGroup) this.described.setAttribute('aria-invalid', 'true')
  }

  /** It is mended, or another value has come: what was said of it is gone. */
  mend() {
    this.wrong = null
    this.untell()
  }

  untell() {
    if (!this.isTold && !this.box.querySelector('.problem')) return
    this.isTold = false
    for (const each of this.box.querySelectorAll('.problem, .choose')) each.remove()
    this.box.classList.remove('wrong')
    this.described.setAttribute('aria-describedby', this.otherDescriptions.join(' '))
    if (this.otherDescriptions.length === 0) this.described.removeAttribute('aria-describedby')
    this.described.removeAttribute('aria-invalid')
  }

  get isGroup() {
    return this.box.tagName === 'FIELDSET'
  }

  /** What is described by the message: the control, or the group of them. */
  get described() {
    const control = this.controls.find(({ type }) => type !== 'hidden')
    return this.isGroup || !control ? this.box : control
  }

  get otherDescriptions() {
    const ids = (this.described.getAttribute('aria-describedby') ?? '').split(' ')
    return ids.filter((id) => id !== '' && id !== `${this.name}-problem`)
  }

  focus() {
    this.described.focus()
  }

  /** Two buttons: what was entered here, or what the other entered. */
  choice() {
    const template = /** @type {HTMLTemplateElement} */ (this.form.querySelector('template[data-choose]'))
    const part = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
    for (const button of part.querySelectorAll('button')) {
      button.setAttribute('aria-describedby', `${this.name}-problem`)
      button.addEventListener('click', () => this.choose(this, 'keep' in button.dataset))
    }
    return part
  }

  /** The other's value is taken over. */
  take() {
    const theirs = this.theirs ?? []
    for (const control of this.controls) {
      if (control instanceof HTMLInputElement && ['radio', 'checkbox'].includes(control.type))
        control.checked = theirs.includes(control.value)
      else if (control.type !== 'hidden') control.value = theirs[0] ?? ''
    }
    this.settle(this.value, plain(theirs))
  }
}
