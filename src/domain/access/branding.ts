/** Rules for the branding of hosted pages, which cover the contrast of accent colours. */

/** The minimum contrast ratio for text in WCAG 2.2 AA. */
const MIN_CONTRAST = 4.5

/** The colours in `src/pages/styles/tokens.css` against which the accent colour appears. */
const BACKGROUNDS = {
  light: { page: '#f7f8fa', 'card and the button text': '#ffffff' },
  dark: { 'page and the button text': '#0b0f19', card: '#141a27' },
} as const

/** Returns red, green and blue of a colour (#rrggbb), each from 0 to 255. */
const partsOf = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** Returns the relative luminance of a colour, from 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((each) => {
    const part = each / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast ratio of two colours (#rrggbb). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The share of white that each step of {@link lightened} adds. */
const STEP = 0.05

/** Returns the colour with as much white as it needs to have enough contrast in dark mode. */
function lightened(color: string): string {
  const parts = partsOf(color)
  for (let white = 0; ; white += STEP) {
    const lighter = parts.map((part) => Math.round(part + (255 - part) * white))
    const mixed = `#${lighter.map((part) => part.toString(16).padStart(2, '0')).join('')}`
    if (contrastOf(mixed, 'dark').isEnough) return mixed
  }
}

interface AccentColors {
  readonly accentColor: string | null
  readonly accentColorDark: string | null
}

/** Returns the accents of a vault. By default, that of dark mode is a lighter version of that of light mode. */
export const accentsOf = ({
  accentColor: light,
  accentColorDark: dark,
}: AccentColors): Record<Scheme, string | null> => ({
  light,
  dark: dark ?? (light === null ? null : lightened(light)),
})

/** The colour of the text on filled buttons, by colour scheme. */
export const ON_ACCENT = { light: '#ffffff', dark: '#0b0f19' } as const

export type Scheme = keyof typeof BACKGROUNDS

/**
 * Returns the colours with which a script compares the accent. The first is the colour of the text on the accent, and
 * the others are backgrounds.
 */
export const comparedColors = (scheme: Scheme): string[] => [
  ...new Set([ON_ACCENT[scheme], ...Object.values(BACKGROUNDS[scheme])]),
]

interface Contrast {
  /** The contrast ratio of the accent to the text on buttons. */
  readonly ratio: number
  readonly isEnough: boolean
}

/** Returns the contrast of an accent (#rrggbb) in a colour scheme. */
export const contrastOf = (accent: string, scheme: Scheme): Contrast => ({
  ratio: contrast(accent, ON_ACCENT[scheme]),
  isEnough: lowContrastBackgrounds(accent, scheme).length === 0,
})

/** Returns descriptions of the backgrounds on which the accent (#rrggbb) has too little contrast. */
export const lowContrastBackgrounds = (accent: string, scheme: Scheme): string[] =>
  Object.entries(BACKGROUNDS[scheme])
    .filter(([, color]) => contrast(accent, color) < MIN_CONTRAST)
    .map(([name, color]) => `${contrast(accent, color).toFixed(2)}:1 with the ${name} (${color})`)
