// @ts-check
/** Opens the decision form in a drawer, lists its findings and keeps its parts consistent. */
import { clearMark, openFlag } from './case.js'
import { enliven, fill, isPlainClick } from './page.js'

/** Returns the key of the field or document. @param {HTMLSelectElement} select */
const keyOf = ({ name }) => name.slice('finding.'.length)

/** @param {HTMLFormElement} form */
function decision(form) {
  const dialog = /** @type {HTMLDialogElement | null} */ (form.closest('dialog'))
  const comment = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('client_comment'))
  /** @param {string} name */
  const radios = (name) =>
    /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(`input[name="${name}"]`)])
  const isShown = (/** @type {HTMLElement} */ each) => each.getClientRects().length > 0

  /** Clears reasons that the style sheet hides, because they must not be sent. */
  function matchReasons() {
    const outcome = radios('outcome').find(({ checked }) => checked)?.value ?? ''
    const fits = (/** @type {HTMLInputElement} */ reason) =>
      reason.closest('label')?.dataset.outcome?.split(' ').includes(outcome) === true
    for (const reason of radios('reason_code')) reason.checked &&= fits(reason)
    const fitting = radios('reason_code').filter(fits)
    // Preselects the usual reason for an approval, and the reason that the first correction suggests.
    const [found] = findings()
    const suggested = (/** @type {HTMLInputElement} */ { dataset }) =>
      dataset.suggestedBy?.split(' ').includes(found?.select.value ?? '')
    const isRevision = ['revision_requested', 'initiated'].includes(outcome)
    const usual = isRevision ? fitting.find(suggested) : outcome === 'approved' ? fitting[0] : undefined
    if (usual && !fitting.some(({ checked }) => checked)) usual.checked = true
  }

  /** Returns the inputs of the findings that the form sends. Most of them are outside the form element. */
  const findings = () =>
    [...form.elements].flatMap((select) => {
      if (!(select instanceof HTMLSelectElement && select.name.startsWith('finding.'))) return []
      const text = form.elements.namedItem(select.name.replace('finding.', 'finding_comment.'))
      const said = text instanceof HTMLTextAreaElement ? text : null
      return select.value || said?.value.trim() ? [{ select, said }] : []
    })

  function count() {
    const found = findings().length
    const [shown, empty, request] = ['[data-count]', '[data-empty]', '[data-requests]'].map(
      (name) => /** @type {HTMLElement | null} */ (form.querySelector(name)),
    )
    if (shown) shown.textContent = String(found)
    if (empty) empty.hidden = found > 0
    if (!request) return
    const { none = '', one = '', many } = request.dataset
    request.textContent = found === 0 ? none : found === 1 ? one : fill(many, { count: String(found) })
  }

  function list() {
    count()
    const place = form.querySelector('[data-findings] ul')
    const template = /** @type {HTMLTemplateElement | null} */ (form.querySelector('template[data-row]'))
    if (!place || !template) return
    const rows = findings().map(({ select, said }) => {
      const row = /** @type {DocumentFragment} */ (template.content.cloneNode(true))
      const finding = /** @type {HTMLElement | null} */ (select.closest('[data-label]'))
      const label = finding?.dataset.label ?? ''
      const code = select.value ? select.selectedOptions[0]?.text : ''
      const name = row.querySelector('[data-label]')
      if (name) name.textContent = label
      const text = row.querySelector('[data-text]')
      if (text) text.textContent = [code, said?.value.trim()].filter(Boolean).join(': ')
      for (const button of row.querySelectorAll('button'))
        button.setAttribute('aria-label', `${button.getAttribute('aria-label')}: ${label}`)
      row.querySelector('[data-edit]')?.addEventListener('click', () => show(select))
      row.querySelector('[data-remove]')?.addEventListener('click', () => clearMark(keyOf(select)))
      return row
    })
    place.replaceChildren(...rows)
  }

  /** Opens the flag in the case. @param {HTMLSelectElement} select */
  function show(select) {
    dialog?.close()
    openFlag(keyOf(select))
  }

  /** @param {string} outcome */
  function open(outcome) {
    const chosen = radios('outcome').find(({ value, disabled }) => value === outcome && !disabled)
    if (chosen) chosen.checked = true
    matchReasons()
    list()
    if (!dialog?.open) dialog?.showModal()
    const reasons = radios('reason_code').filter(isShown)
    const places = chosen ? [reasons.find(({ checked }) => checked), ...reasons] : radios('outcome')
    places.find((each) => each && !each.disabled)?.focus()
  }

  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === 'outcome') matchReasons()
    count()
  })
  form.querySelector('[data-insert]')?.addEventListener('click', (event) => {
    event.preventDefault()
    const select = /** @type {HTMLSelectElement} */ (form.elements.namedItem('template'))
    const text = select.selectedOptions[0]?.dataset.text
    if (text === undefined) return
    comment.value = [comment.value.trimEnd(), text].filter(Boolean).join('\n')
    select.value = ''
    comment.focus()
  })
  form.addEventListener('keydown', (event) => {
    // Pressing Enter would submit the form.
    const isChoice = event.target instanceof HTMLInputElement
    if (isChoice && event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
  })
  count()
  if (!dialog) return

  document.addEventListener('marked', () => {
    list()
    if (dialog.open) form.querySelector('button')?.focus()
  })

  document.addEventListener('click', (event) => {
    const place = event.target instanceof Element ? event.target.closest('[data-decide]') : null
    if (!(place instanceof HTMLElement) || !isPlainClick(event)) return
    event.preventDefault()
    open(place.dataset.decide ?? '')
  })
  // Pressing Enter in a finding of the case must not send a decision that the operator does not see.
  document.addEventListener(
    'keydown',
    (event) => {
      const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
      const { form: owner } = /** @type {HTMLInputElement} */ (event.target)
      if (!isSending || dialog.open || owner !== form) return
      event.preventDefault()
      open('')
    },
    true,
  )
}

enliven('form[data-decision]', (form) => decision(/** @type {HTMLFormElement} */ (form)))
