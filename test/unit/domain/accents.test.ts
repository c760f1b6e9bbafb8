/** Tests the accent colours of a vault that has none for dark mode. */
import { describe, expect, test } from 'vitest'
import { accentsOf, contrastOf } from '../../../src/domain/access/branding.ts'

const darkOf = (accentColor: string | null, accentColorDark: string | null = null) =>
  accentsOf({ accentColor, accentColorDark }).dark

describe('without a colour for dark mode, the other one', () => {
  test.each(['#000000', '#0000ff', '#0b5d4e', '#7a1f5c', '#767676', '#b45309', '#ff0000'])(
    '%s is lightened until its contrast is sufficient',
    (color) => {
      expect(contrastOf(color, 'dark').isEnough).toBe(false)
      expect(contrastOf(darkOf(color) ?? '', 'dark').isEnough).toBe(true)
    },
  )
  test.each(['#8fb0ff', '#ffffff'])('%s is kept if its contrast is sufficient', (color) => {
    expect(darkOf(color)).toBe(color)
  })
})

test('uses the colour for dark mode if there is one, and none without any colour', () => {
  expect(darkOf('#0b5d4e', '#8ab4f8')).toBe('#8ab4f8')
  expect(darkOf(null)).toBeNull()
})
