// @ts-check
/** Saves each field after the applicant has entered it, with one request at a time, and shows the status. */
import { beginBusy, endBusy } from './busy.js'
import { Field } from './field.js'
import {
  create,
  enliven,
  fill,
  isPlainClick,
  refusalOf,
  renewToken,
  timeoutSignal,
  tokenOf,
  warnWhile,
} from './page.js'

const PAUSE_MS = 600
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
const TIMEOUT_MS = 20_000
/** The maximum size of a request that continues after the page is closed. Browsers limit this size. */
const KEEPALIVE_BYTES = 60_000

/**
 * @typedef {'saved' | 'failed' | 'unable' | 'session' | { message: string }} Outcome
 *   `unable` means that the script failed, because this browser does not support it.
 */

/** The requests of all forms on the page. @type {Promise<unknown>} */
let queue = Promise.resolve()

/**
 * Replaces a part of the page, such as the progress, unless it has the focus.
 * @param {string} selector
 * @param {string} html
 */
function renew(selector, html) {
  const part = document.querySelector(selector)
  if (part && !part.contains(document.activeElement)) part.outerHTML = html
}

/** @param {HTMLFormElement} form */
function autosave(form) {
  const status = /** @type {HTMLElement} */ (document.querySelector('.saving'))
  const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('input[name^="was:"]'))
  const fields = [...inputs].map((was) => new Field(form, was, choose))
  let timer = 0
  /** Milliseconds before the next attempt. 0 if the last request succeeded. */
  let pause = 0
  /** @type {Promise<void> | null} */
  let running = null
  /** @type {Outcome} */
  let outcome = 'saved'
  let savedAt = ''
  let isLeaving = false

  form.addEventListener('input', ({ target }) => entered(target, PAUSE_MS))
  form.addEventListener('change', ({ target }) => entered(target, 0))
  form.addEventListener('focusout', ({ target }) => {
    fieldOf(target)?.tellRefused()
    showStatus()
  })
  form.addEventListener('submit', (event) => {
    if (isLeaving) return
    event.preventDefault()
    void saveAndGoOn(event.submitter)
  })
  document.addEventListener('click', (event) => {
    const link = isPlainClick(event) && event.target instanceof Element && event.target.closest('a[href]')
    if (!(link instanceof HTMLAnchorElement) || waiting().length === 0) return
    // These links do not leave the page.
    if ((link.hash !== '' && link.pathname === location.pathname) || link.target === '_blank') return
    event.preventDefault()
    void saveAndFollow(link)
  })
  window.addEventListener('online', tryNow)
  document.addEventListener('visibilitychange', () => (document.hidden ? flush() : tryNow()))
  window.addEventListener('pageshow', () => {
    isLeaving = false
  })
  warnWhile(() => !isLeaving && fields.some((field) => field.isUnsaved))

  const waiting = () => fields.filter((field) => field.isWaiting)

  /** @param {EventTarget | null} target */
  const fieldOf = (target) => fields.find(({ controls }) => controls.some((each) => each === target))

  // The server has shown the form again, so the typed values are not stored yet.
  if (fields.some((field) => field.isTold)) {
    for (const field of fields) field.touched = true
    saveSoon(0)
  }

  /** @param {EventTarget | null} target @param {number} ms */
  function entered(target, ms) {
    const field = fieldOf(target)
    if (!field) return
    field.touched = true
    // If the applicant enters the stored value, the conflict or problem is resolved.
    if (field.wrong && field.value === field.was.value) field.settle(field.value, field.was.value)
    saveSoon(Math.max(ms, pause))
  }

  /** @param {number} ms */
  function saveSoon(ms) {
    clearTimeout(timer)
    timer = window.setTimeout(save, ms)
    showStatus()
  }

  function tryNow() {
    if (waiting().length === 0) return
    clearTimeout(timer)
    void save()
  }

  /** Sends one request at a time. The next request saves values that were entered in the meantime. */
  function save() {
    running ??= saveWaiting().finally(() => {
      running = null
    })
    return running
  }

  async function saveWaiting() {
    queue = queue.then(sendWaiting)
    await queue
    if (waiting().length > 0) saveSoon(pause)
    else showStatus()
  }

  async function sendWaiting() {
    const list = waiting()
    if (list.length === 0) return
    showStatus()
    outcome = await send(list)
    const isAway = typeof outcome === 'string' && outcome !== 'saved'
    pause = isAway ? Math.min(pause * 2 || FIRST_RETRY_MS, MAX_RETRY_MS) : 0
  }

  /** Sends immediately, because the browser may be closing the page. */
  function flush() {
    const list = waiting().filter((field) => !field.unheard.slice(-1).includes(field.value))
    if (list.length > 0) void send(list)
  }

  /** @param {readonly Field[]} list @returns {Promise<Outcome>} */
  async function send(list, isAgain = false) {
    const sent = list.map((field) => ({ field, value: field.value }))
    const body = new URLSearchParams({ _csrf: tokenOf(form) })
    for (const { field, value } of sent) {
      for (const each of field.values) body.append(field.name, each)
      for (const each of field.began) body.append(field.was.name, each)
      field.sent(value)
    }
    const text = body.toString()
    try {
      const response = await fetch(form.getAttribute('action') ?? '', {
        method: 'POST',
        headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: text,
        keepalive: text.length < KEEPALIVE_BYTES,
        signal: timeoutSignal(TIMEOUT_MS),
      }).catch(() => null)
      if (!response) return 'failed'
      const { status } = response
      const renewal = status === 403 && !isAgain ? await renewToken().catch(() => 'ended') : null
      if (renewal === 'renewed') return send(list, true)
      if (status === 401 || renewal === 'ended') return 'session'
      if (status === 408 || status === 429 || status >= 500) return 'failed'
      if (response.ok) return hear(await response.json(), sent)
      return refuse(await refusalOf(response), sent)
    } catch {
      return 'unable'
    }
  }

  /**
   * @param {{ parts: Record<string, string>, saved_at: string, saved: Record<string, string>, echoes: Record<string, string | null>, problems: import('./page.js').Problem[] }} answer
   * @param {readonly { field: Field, value: string }[]} sent
   * @returns {Outcome}
   */
  function hear(answer, sent) {
    for (const [selector, html] of Object.entries(answer.parts)) renew(selector, html)
    for (const { field, value } of sent) {
      const problem = answer.problems.find((each) => each.field === field.name)
      if (problem) field.refuse(problem, value)
      else field.settle(value, answer.saved[field.name] ?? value, answer.echoes[field.name])
    }
    const { lang } = document.documentElement
    savedAt = new Intl.DateTimeFormat(lang, { timeStyle: 'short', hourCycle: 'h23' }).format(
      new Date(answer.saved_at),
    )
    return 'saved'
  }

  /**
   * Handles a refusal that does not concern a single field. The values are sent again only after a change.
   * @param {string} message
   * @param {readonly { field: Field, value: string }[]} sent
   * @returns {Outcome}
   */
  function refuse(message, sent) {
    for (const { field, value } of sent) {
      field.forget(value)
      field.wrong = { problem: { field: field.name, message }, value }
    }
    return { message }
  }

  function showStatus() {
    const [state, text] = currentState()
    if (status.textContent === text) return
    status.textContent = text
    status.dataset.state = state
  }

  /** @returns {['good' | 'bad' | 'open', string]} */
  function currentState() {
    const { saving = '', saved, failed = '', session = '', refused, unsaved = '' } = status.dataset
    const isWaiting = waiting().length > 0
    if ((outcome === 'failed' || outcome === 'unable') && isWaiting) return ['bad', failed]
    if (outcome === 'session' && isWaiting) return ['bad', session]
    if (typeof outcome === 'object' && fields.some((field) => field.isUnsaved))
      return ['bad', fill(refused, { problem: outcome.message })]
    if (fields.some((field) => field.isTold && field.isUnsaved)) return ['bad', unsaved]
    if (isWaiting) return ['open', saving]
    if (savedAt === '' || fields.some((field) => field.isUnsaved)) return ['open', '']
    return ['good', fill(saved, { time: savedAt })]
  }

  /** @param {Field} field @param {boolean} keepsMine */
  function choose(field, keepsMine) {
    field.touched = true
    if (keepsMine) field.mend()
    else field.take()
    field.focus()
    saveSoon(0)
  }

  /** Saves all fields, but stops if the server is unavailable. */
  async function saveAll() {
    do await save()
    while (waiting().length > 0 && pause === 0)
  }

  /** Saves before following the link, so that the browser need not ask. @param {HTMLAnchorElement} link */
  async function saveAndFollow(link) {
    await saveAll()
    location.assign(link.href)
  }

  /** Submits without events. The name of the button can select the next page. @param {HTMLElement | null} submitter */
  function submitWith(submitter) {
    const { name = '', value = '' } = /** @type {Partial<HTMLButtonElement>} */ (submitter ?? {})
    const choice = create('input', { type: 'hidden', name, value })
    form.append(choice)
    form.submit()
    choice.remove()
  }

  /**
   * Saves the remaining fields and resolves conflicts with the applicant's values. Submits if there is no problem.
   * @param {HTMLElement | null} submitter
   */
  async function saveAndGoOn(submitter) {
    for (const field of fields) {
      field.touched = true
      if (field.theirs && field.isTold) field.mend()
    }
    beginBusy(form, submitter)
    await saveAll()
    for (const field of fields) field.tellRefused()
    showStatus()
    const first = fields.find((field) => field.isUnsaved)
    if (first?.isTold) first.focus()
    // If the script cannot save the form, the browser submits it.
    if (first && outcome !== 'unable') return endBusy()
    isLeaving = true
    submitWith(submitter)
  }
}

enliven('form[data-autosave]', (form) => autosave(/** @type {HTMLFormElement} */ (form)))
