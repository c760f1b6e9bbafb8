/** Rules for the HTML of emails. They load nothing from the network, so that a mail program reports nothing. */
import { ON_ACCENT, type Scheme } from '../access/branding.ts'

/** The `Content-ID` of the logo, which the email contains. */
export const LOGO_ID = 'logo@gatehouse'

interface Anchor {
  readonly url: string
  readonly label: string
}

interface EmailHtml {
  readonly language: string
  /** The subject, which is also the heading. */
  readonly subject: string
  readonly vault: string
  readonly hasLogo: boolean
  /** The accent colour of each colour scheme, or null for the default. */
  readonly accents: Readonly<Record<Scheme, string | null>>
  /** The code, which is one of the lines, or null. */
  readonly code: string | null
  readonly before: readonly string[]
  readonly action: Anchor | null
  readonly after: readonly string[]
  readonly decline: Anchor | null
}

/** The default accent colours, as in `src/pages/styles/tokens.css`. */
const ACCENTS: Readonly<Record<Scheme, string>> = { light: '#2453c4', dark: '#8fb0ff' }

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')

/** The colours in dark mode. Mail programs that ignore style sheets show the light colours of the elements. */
const darkStyle = (accent: string): string =>
  [
    ':root{color-scheme:light dark}',
    '@media (prefers-color-scheme:dark){',
    '.page{background:#0b0f19!important;color:#e6eaf2!important}',
    '.card{background:#141a27!important}',
    '.small,.small a{color:#a9b3c4!important}',
    '.code{background:#1b2231!important}',
    '.logo{background:#ffffff!important}',
    `.button{background:${accent}!important;color:${ON_ACCENT.dark}!important}`,
    '}',
  ].join('')

const SMALL = 'color:#4b5563;font-size:14px'
const FONT = "16px/1.5 Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif"
/** One tap selects the whole code if the mail program allows it. */
const CODE =
  'margin:0 0 16px;padding:12px;border-radius:8px;background:#f2f4f7;font-size:32px;letter-spacing:4px;text-align:center;-webkit-user-select:all;user-select:all'

/** Returns a size in pixels at which the longest word fits a phone, because mail programs hyphenate only their language. */
function headingSize(text: string): number {
  const longest = Math.max(...text.split(/\s/).map((word) => word.length))
  return Math.min(22, Math.max(14, Math.floor(520 / longest)))
}

/** Most mail programs ignore style sheets, so each element has its own style. */
export function renderHtml(email: EmailHtml): string {
  const { language, subject, vault, hasLogo, accents, code, before, action, after, decline } = email
  const paragraph = (line: string) =>
    line === code
      ? `<p class="code" style="${CODE}"><strong>${code}</strong></p>`
      : `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`
  const small = (line: string) => `<p class="small" style="margin:0 0 8px;${SMALL}">${escapeHtml(line)}</p>`
  const anchor = ({ url, label }: Anchor, look: string) =>
    `<a href="${escapeHtml(url)}" ${look}>${escapeHtml(label)}</a>`
  const button = `class="button" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${accents.light ?? ACCENTS.light};color:${ON_ACCENT.light};text-decoration:none"`
  const name = hasLogo
    ? `<img class="logo" src="cid:${LOGO_ID}" alt="${escapeHtml(vault)}" style="max-width:100%;max-height:60px;border-radius:4px">`
    : escapeHtml(vault)
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title><style>${darkStyle(accents.dark ?? ACCENTS.dark)}</style></head>`,
    `<body class="page" style="margin:0;background:#f7f8fa;color:#111827;font:${FONT}">`,
    '<div role="main" style="max-width:560px;margin:0 auto;padding:24px 12px">',
    '<div class="card" style="padding:24px 20px;background:#ffffff;border-radius:12px;overflow-wrap:anywhere;hyphens:auto">',
    `<p class="small" style="margin:0 0 16px;${SMALL};font-weight:600">${name}</p>`,
    `<h1 style="margin:0 0 16px;font-size:${headingSize(subject)}px;line-height:1.3">${escapeHtml(subject)}</h1>`,
    ...before.map(paragraph),
    ...(action ? [`<p style="margin:0 0 16px">${anchor(action, button)}</p>`] : []),
    ...after.map(small),
    ...(decline ? [`<p class="small" style="margin:0">${anchor(decline, `style="${SMALL}"`)}</p>`] : []),
    '</div></div></body></html>',
    '',
  ].join('\n')
}
