/** Plots as parts of a page: drawn by a library on the server, loaded when the first one is asked for. */
import type * as Library from '@observablehq/plot'
import { h, type VNode } from 'preact'

export type Plots = typeof Library

/** What all plots have: one width, which a phone and a card on a desk share. */
const FRAME = { width: 380, className: 'plot' }

/** It takes a third of a second and 35 MB, which a process that shows no figure does without. */
const load = () => Promise.all([import('@observablehq/plot'), import('linkedom')])

/** The drawing, named by the heading that says the same in words. */
export async function draw(
  labelledBy: string,
  optionsOf: (plots: Plots) => Library.PlotOptions,
): Promise<VNode> {
  const [plots, { parseHTML }] = await load()
  const { document } = parseHTML('<html></html>') as unknown as { document: Document }
  const drawn = plots.plot({ ...FRAME, document, ...optionsOf(plots) })
  return h(
    'svg',
    { ...attributesOf(drawn), role: 'img', 'aria-labelledby': labelledBy },
    ...childrenOf(drawn),
  )
}

/** Its style is in our style sheet, as the policy wants it. */
const childrenOf = (element: Element): (VNode | string)[] =>
  [...element.childNodes].flatMap((node): (VNode | string)[] => {
    if (node.nodeType === 3) return [node.textContent ?? '']
    const child = node as Element
    return child.localName === 'style' ? [] : [h(child.localName, attributesOf(child), ...childrenOf(child))]
  })

/** What is within a picture that has a name is named no more. */
const attributesOf = (element: Element): Record<string, string> =>
  Object.fromEntries(
    [...element.attributes]
      .filter(({ name }) => name !== 'style' && !name.startsWith('aria-'))
      .map(({ name, value }) => [name, value]),
  )
