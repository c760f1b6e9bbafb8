/** Reads forms from pages as a browser would. */
import { type HTMLElement, parse } from 'node-html-parser'

/** Returns the value of the first control with this name, or an empty text if the page has none. */
export function fieldIn(page: string, name: string): string {
  const control = parse(page).querySelector(`[name="${name}"]`)
  return control ? (valuesOf(control)[0] ?? '') : ''
}

/** Returns the token that a form of the page sends. */
export const csrfIn = (page: string): string => fieldIn(page, '_csrf')

/** Returns the fields that the form with this action sends, except for files and the token. */
export function sentFields(page: string, action: string): [name: string, value: string][] {
  const form = parse(page).querySelector(`form[action="${action}"]`)
  if (!form) throw new Error(`the page has no form for ${action}`)
  return form
    .querySelectorAll('input[name], select[name], textarea[name]')
    .flatMap((control) => valuesOf(control).map((value): [string, string] => [nameOf(control), value]))
    .filter(([name]) => name !== '_csrf')
}

const nameOf = (control: HTMLElement): string => control.getAttribute('name') ?? ''

function valuesOf(control: HTMLElement): string[] {
  const value = control.getAttribute('value')
  switch (control.tagName) {
    case 'TEXTAREA':
      return [control.textContent]
    case 'SELECT': {
      const options = control.querySelectorAll('option')
      const chosen = options.filter((option) => option.hasAttribute('selected'))
      const sent = control.hasAttribute('multiple') ? chosen : [chosen[0] ?? options[0]]
      return sent.map((option) => option?.getAttribute('value') ?? option?.textContent ?? '')
    }
    default: {
      const type = control.getAttribute('type') ?? 'text'
      if (type === 'file') return []
      if (type === 'checkbox' || type === 'radio')
        return control.hasAttribute('checked') ? [value ?? 'on'] : []
      return [value ?? '']
    }
  }
}
