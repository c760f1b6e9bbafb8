/** Tests that operators read a noun for each field, and applicants a question or an instruction. */
import { expect, test } from 'vitest'
import { labelOf } from '../../../src/pages/console/base/words.ts'
import { LANGUAGES, type TextName, translate } from '../../../src/pages/texts/index.ts'

/** Matches a label that asks or addresses the reader. */
const ADDRESSES = { en: /\?|\byou(r|rs)?\b/i, de: /\?|\b(Sie|Ihnen|Ihr(e[mnrs]?)?)\b/ } as const

test.each(Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[])(
  'operators read no question in %s',
  (language) => {
    const fields = (Object.keys(LANGUAGES[language]) as TextName[]).filter((name) =>
      name.startsWith('field.'),
    )
    const shown = fields.map((name) => labelOf(translate(language), name.slice('field.'.length)))
    expect(fields.length).toBeGreaterThan(50)
    expect(shown.filter((label) => ADDRESSES[language].test(label))).toEqual([])
  },
)
