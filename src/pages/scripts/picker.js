// @ts-check
/** Makes a long list searchable. The list remains the form's control and keeps the value, or several values. */
import { create, enliven, fill } from './page.js'

/** Returns the text in lower case and without accents, for comparisons. @param {string} text */
const simple = (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

/** Other names of countries that people enter, in lower case. @type {Record<string, string>} */
const OTHER_NAMES = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  usa: 'US',
  uae: 'AE',
  vae: 'AE',
  holland: 'NL',
}

/** The options of the first list of countries. The page's other lists have only the selected ones. */
/** @type {HTMLOptionElement[]} */
let countries = []

/** Completes a list of countries. @param {HTMLSelectElement} select */
function complete(select) {
  const own = [...select.options].filter(({ value }) => value !== '')
  if (own.length >= countries.length) countries = own
  else {
    const chosen = own.map(({ value }) => value)
    for (const option of own) option.remove()
    for (const { text, value } of countries) {
      const isChosen = chosen.includes(value)
      select.add(new Option(text, value, isChosen, isChosen))
    }
  }
}

/** @param {HTMLSelectElement} select */
function picker(select) {
  if ('countries' in select.dataset) complete(select)
  const { id } = select
  const placeholder = select.dataset.add ?? (select.options[0]?.value === '' ? select.options[0].text : '')
  const input = create('input', {
    type: 'text',
    id,
    autocomplete: select.autocomplete === 'country' ? 'country-name' : 'off',
    className: 'picker-input',
    placeholder,
  })
  const list = create('ul', { id: `${id}-list`, className: 'picker-list', hidden: true })
  const box = create('div', { className: 'picker' })
  const flag = Object.assign(new Image(20, 13), { className: 'flag', alt: '' })
  const chosen = create('ul', { className: 'picker-chosen' })
  const options = [...select.options].filter(({ value }) => value !== '')
  let active = -1

  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-expanded', 'false')
  input.setAttribute('aria-controls', list.id)
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', select.labels[0]?.textContent?.trim() ?? '')
  if (select.multiple) list.setAttribute('aria-multiselectable', 'true')
  select.id = `${id}-value`
  select.classList.add('unseen')
  select.tabIndex = -1
  select.setAttribute('aria-hidden', 'true')
  select.before(...(select.multiple ? [chosen] : []), box)
  box.append(select, input, flag, list)
  show()
  describe()

  select.addEventListener('focus', () => input.focus())
  select.addEventListener('change', show)
  new MutationObserver(describe).observe(select, {
    attributes: true,
    attributeFilter: ['aria-invalid', 'aria-describedby'],
  })
  input.addEventListener('input', (event) => {
    event.stopPropagation()
    flag.hidden = true
    open(input.value)
  })
  input.addEventListener('change', (event) => {
    event.stopPropagation()
    // The browser has filled in the form.
    settle()
  })
  input.addEventListener('click', () => open(''))
  input.addEventListener('keydown', press)
  input.addEventListener('blur', settle)
  // Keeps the focus in the input, because losing it would close the list before the click.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const item = target instanceof Element ? target.closest('[role=option]') : null
    if (item instanceof HTMLElement) choose(item.dataset.value ?? '')
  })

  function show() {
    if (select.multiple) return showChosen()
    input.value = select.value === '' ? '' : (select.selectedOptions[0]?.text ?? '')
    flag.hidden = select.value === '' || select.dataset.flag === undefined
    if (!flag.hidden) flag.src = fill(select.dataset.flag, { country: select.value })
  }

  /** Shows the chosen options of a list with several values, each with a button that removes it. */
  function showChosen() {
    input.value = ''
    flag.hidden = true
    chosen.replaceChildren(
      ...[...select.selectedOptions].map((option) => {
        const item = document.createElement('li')
        const button = create('button', { type: 'button' })
        const icon = Object.assign(new Image(20, 13), { className: 'flag', alt: '' })
        // Groups of countries have no flag.
        icon.addEventListener('error', () => icon.remove())
        icon.src = fill(select.dataset.flag, { country: option.value })
        button.append(icon, option.text)
        button.setAttribute('aria-label', fill(select.dataset.remove, { name: option.text }))
        button.addEventListener('click', () => {
          toggle(option)
          input.focus()
        })
        item.append(button)
        return item
      }),
    )
  }

  /** @param {HTMLOptionElement} option */
  function toggle(option) {
    option.selected = !option.selected
    show()
    close()
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }

  function describe() {
    for (const name of ['aria-invalid', 'aria-describedby']) {
      const value = select.getAttribute(name)
      if (value === null) input.removeAttribute(name)
      else input.setAttribute(name, value)
    }
  }

  /** @param {string} text */
  function matching(text) {
    const sought = simple(text)
    const named = options.filter(({ value }) => value === OTHER_NAMES[sought] || simple(value) === sought)
    const starts = options.filter((each) => !named.includes(each) && simple(each.text).startsWith(sought))
    return [
      ...named,
      ...starts,
      ...options.filter(
        (each) => !named.includes(each) && !starts.includes(each) && simple(each.text).includes(sought),
      ),
    ]
  }

  /** @param {string} text */
  function open(text) {
    list.replaceChildren(
      ...matching(text).map((option, n) => {
        const item = create('li', { id: `${list.id}-${n}`, textContent: option.text })
        item.dataset.value = option.value
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', String(option.selected))
        return item
      }),
    )
    list.hidden = list.children.length === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    const chosen = [...list.children].findIndex((item) => item.getAttribute('aria-selected') === 'true')
    mark(text === '' ? chosen : 0)
  }

  function close() {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    mark(-1)
  }

  /** @param {number} next */
  function mark(next) {
    list.children[active]?.classList.remove('picker-active')
    active = list.hidden ? -1 : Math.min(list.children.length - 1, next)
    const item = list.children[active]
    item?.classList.add('picker-active')
    item?.scrollIntoView({ block: 'nearest' })
    if (item) input.setAttribute('aria-activedescendant', item.id)
    else input.removeAttribute('aria-activedescendant')
  }

  /** @param {string} value */
  function choose(value) {
    const option = options.find((each) => each.value === value)
    if (select.multiple) return option ? toggle(option) : close()
    const isOther = select.value !== value
    select.value = value
    show()
    close()
    if (isOther) select.dispatchEvent(new Event('change', { bubbles: true }))
  }

  /** Accepts a typed text that identifies one option. Otherwise, restores the value. */
  function settle() {
    const [first, ...others] = matching(input.value)
    const typed = simple(input.value)
    const isExact = first && (simple(first.text) === typed || first.value === OTHER_NAMES[typed])
    if (input.value.trim() === '') choose('')
    else if (first && (isExact || others.length === 0) && !(select.multiple && first.selected))
      choose(first.value)
    else {
      show()
      close()
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const item = /** @type {HTMLElement | undefined} */ (list.children[active])
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (list.hidden) open('')
      else mark(Math.max(0, active + (event.key === 'ArrowDown' ? 1 : -1)))
    } else if (event.key === 'Enter' && !list.hidden) {
      event.preventDefault()
      if (item) choose(item.dataset.value ?? '')
    } else if (event.key === 'Escape' && !list.hidden) {
      event.stopPropagation()
      show()
      close()
    }
  }
}

enliven('[data-picker]', (select) => picker(/** @type {HTMLSelectElement} */ (select)))
