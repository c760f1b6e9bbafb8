/** Component: the layout of a page, with the vault's logo, the languages, the list of problems and the contact. */
import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Vault } from '../../domain/access/vault.ts'
import { referenceOf } from '../../domain/entity/reference.ts'
import { brandStylePath, logoPath } from '../../use-cases/access/branding.ts'
import { assetPath, type Look, sheetsOf } from '../assets/assets.ts'
import { directionOf, LANGUAGES, type Language, languagesAt, type Translate } from '../texts/index.ts'
import { dayText } from '../values/dates.ts'
import { BigTile } from './card.tsx'
import { Questions } from './contact.tsx'
import { Avatar, Glyph, Icon, type IconName, Sign } from './icon.tsx'

/** The language, vault and address that a page is rendered for. */
export interface Frame {
  readonly language: Language
  readonly t: Translate
  /** The vault that requests the verification, or null on pages outside a verification. */
  readonly vault: Vault | null
  readonly vaultName: string | null
  readonly path: string
  /** A sentence above a preview, whose controls are disabled. */
  readonly preview?: string
}

/** A problem with the input named `field`. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
  /** The values that someone else has entered in this field in the meantime. */
  readonly theirs?: readonly string[]
  /** The stored form of these values, if the field shows them in another notation. */
  readonly stored?: string
}

interface PageProps {
  readonly frame: Frame
  readonly title: string
  readonly lead?: ComponentChildren
  /** The title on paper, which replaces the title and the instructions of the screen. */
  readonly printTitle?: string
  readonly back?: string
  readonly problems?: readonly FieldProblem[]
  /** The `Rail`, which shows the progress on large screens. */
  readonly rail?: ComponentChildren
  /** The `ProgressBar`, which shows the progress on phones. */
  readonly progress?: ComponentChildren
  /** The save status and a button to leave the form, at the end of the header. */
  readonly tools?: ComponentChildren
  /** A large icon above the title. */
  readonly icon?: IconName
  /** A heading, such as an `OutcomeHero`, that replaces the icon and the title on the page. */
  readonly hero?: ComponentChildren
  /** True if the page itself states whom to contact. */
  readonly hasContact?: boolean
  readonly children?: ComponentChildren
}

interface FramesetProps {
  readonly frame: Frame
  readonly title: string
  /** True if the page shows problems. */
  readonly isWrong: boolean
  /** The layout: one column for applicants, or several for operators. */
  readonly look: Look
  readonly children: ComponentChildren
}

/** Renders the HTML document with its head and the elements for screen readers. */
export function Frameset({ frame, title, isWrong, look, children }: FramesetProps) {
  const { language, t, vault, path } = frame
  const brandStyle = vault && brandStylePath(vault)
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{isWrong ? t('page.error', { title }) : title}</title>
        {sheetsOf(look, path).map((sheet) => (
          <link key={sheet} rel="stylesheet" href={assetPath(`${sheet}.css`)} />
        ))}
        {brandStyle ? <link rel="stylesheet" href={brandStyle} /> : null}
      </head>
      <body class={look} data-page={path} data-print={printHead(frame)}>
        <a class="skip" href="#content">
          {t('page.skip')}
        </a>
        {children}
        <p class="unseen" role="status" id="announcement" />
      </body>
    </html>
  )
}

/** Returns the reference of the case and the date, which each printed sheet shows. */
function printHead({ language, path }: Frame): string {
  const [, id] = /^\/(?:console|verify)\/\w+\/([\da-f-]{36})\b/.exec(path) ?? []
  const date = dayText({ language }, new Date())
  return [id && referenceOf(id), date].filter(Boolean).join(' · ')
}

export function Page(props: PageProps) {
  const { frame, title, lead, printTitle, back, problems = [], rail, progress, tools, icon, hero } = props
  const { hasContact = false, children } = props
  const { t, vault } = frame
  return (
    <Frameset frame={frame} title={title} isWrong={problems.length > 0} look="hosted">
      <header class="hosted-bar">
        <div class="bar-inside">
          <div class="bar-start">{vault ? <VaultSign vault={vault} /> : <OwnSign />}</div>
          {tools}
          <Languages {...frame} />
          {progress}
        </div>
      </header>
      <div class="columns">
        {rail}
        <main id="content" class="flow">
          {back === undefined ? null : (
            <a class="back screen-only" href={back}>
              <Icon name="chevron-left" />
              {t('page.back')}
            </a>
          )}
          {problems.length > 0 ? <Problems t={t} problems={problems} /> : null}
          {printTitle ? <p class="print-only print-title">{printTitle}</p> : null}
          {hero ?? (
            <>
              {icon ? <BigTile icon={icon} /> : null}
              <h1>{title}</h1>
            </>
          )}
          {lead ? <p class="lead">{lead}</p> : null}
          {frame.preview ? (
            <>
              <p class="quiet">{frame.preview}</p>
              <fieldset class="disabled-part flow" disabled>
                {children}
              </fieldset>
            </>
          ) : (
            children
          )}
        </main>
        {vault ? <Help frame={frame} hasContact={hasContact} /> : null}
      </div>
    </Frameset>
  )
}

/** Shows the vault's logo, or its initials and name if there is no logo. */
export function VaultSign({ vault }: { vault: Vault }) {
  const logo = logoPath(vault)
  return logo ? (
    <img class="logo" src={logo} alt={vault.name} />
  ) : (
    <span class="vault">
      <Avatar name={vault.name} />
      {vault.name}
    </span>
  )
}

/** Shows the sign and the name of Gatehouse, on pages without a vault. */
export const OwnSign = () => (
  <span class="vault">
    <Sign size={28} />
    Gatehouse
  </span>
)

function Languages({ language, path, vault }: Frame) {
  const offered = vault?.languages ?? languagesAt(path)
  if (offered.length === 1) return null
  const label = offered.map((each) => LANGUAGES[each]['language.label']).join(' / ')
  return (
    <details class="menu languages">
      <summary>
        <Icon name="globe" />
        <span class="unseen">{label}:</span>
        <span class="languages-long">{LANGUAGES[language]['language.name']}</span>
        <span class="languages-short">{language.toUpperCase()}</span>
        <Icon name="chevron-down" />
      </summary>
      <nav class="menu-entries" aria-label={label}>
        {offered.map((each) => (
          <a
            key={each}
            lang={each}
            hreflang={each}
            href={`${path}?language=${each}`}
            {...(each === language && { 'aria-current': 'true' })}
          >
            {LANGUAGES[each]['language.name']}
          </a>
        ))}
      </nav>
    </details>
  )
}

/** Links to the contact and the privacy policy. The policy opens in a new tab, so that typed values are not lost. */
function Help({ frame, hasContact }: { frame: Frame; hasContact: boolean }) {
  const privacyUrl = frame.vault?.privacyUrl
  if (hasContact && !privacyUrl) return null
  return (
    <footer class="help">
      {hasContact ? null : (
        <p>
          <Questions frame={frame} />
        </p>
      )}
      {privacyUrl ? (
        <p>
          <a href={privacyUrl} target="_blank" rel="noopener noreferrer">
            {frame.t('page.privacy')}
          </a>
        </p>
      ) : null}
    </footer>
  )
}

/** Lists the messages of all fields, each with a link to its field. */
export const Problems = ({ t, problems }: { t: Translate; problems: readonly FieldProblem[] }) => (
  <div class="banner banner-danger summary" role="alert" aria-labelledby="problems" tabIndex={-1}>
    <Glyph state="refused" />
    <div class="banner-text">
      <h2 id="problems">{t('problem.summary')}</h2>
      <ul class="banner-links">
        {problems.map(({ field, message }) => (
          <li key={field}>{field === '' ? message : <a href={`#${field}`}>{message}</a>}</li>
        ))}
      </ul>
    </div>
  </div>
)

/** The scripts, keyed by the attribute of the elements that need them. Every page also works without scripts. */
const SCRIPTS = {
  // This script must run before other scripts change the content that it reads.
  'data-refresh': 'refresh',
  'data-autosave': 'autosave',
  'data-asked': 'conditional',
  'data-finished': 'groups',
  'data-unsent': 'unsent',
  '<form': 'busy',
  'data-decision': 'decision',
  'data-drawer': 'drawer',
  'data-picker': 'picker',
  'data-documents': 'upload',
  'data-picture': 'photo',
  'data-copy': 'copy',
  'data-share': 'share',
  'data-propose': 'propose',
  'data-reveal': 'reveal',
  'data-reads': 'file-text',
  'data-file-input': 'file-input',
  'data-changes': 'changes',
  'data-branding': 'branding',
  'data-live': 'queue',
  'data-viewer': 'viewer',
  'data-case': 'case',
  'data-toast': 'toast',
  'id="problems"': 'summary',
  'data-gap': 'summary',
  'id="keys"': 'keys',
}

const LISTS = /(<select[^>]* data-countries[^>]*>)(.*?)<\/select>/g
/** An option without a value, or a selected one. */
const SHOWN = /<option value(?:=""|="\w+" selected)?>[^<]*<\/option>/g

/** Shortens all lists but the first, which scripts copy, because they are most of the size of a page. */
function shortenCountryLists(html: string): string {
  let count = 0
  return html.replace(LISTS, (list: string, start: string, options: string) =>
    count++ === 0 ? list : `${start}${options.match(SHOWN)?.join('') ?? ''}</select>`,
  )
}

/**
 * Returns the HTML of a page with the scripts that it needs. If `fullLists` is the address of the same page with complete
 * lists of countries, shortens these lists, and browsers without scripts load that address.
 */
export function render(page: VNode, fullLists: string | null): string {
  const complete = renderToString(page)
  const html = fullLists === null ? complete : shortenCountryLists(complete)
  const scripts = Object.entries(SCRIPTS)
    .filter(([attribute]) => html.includes(attribute))
    .map(([, name]) => `<script type="module" src="${assetPath(`scripts/${name}.js`)}"></script>`)
  if (html !== complete)
    scripts.push(
      `<noscript>${renderToString(<meta http-equiv="refresh" content={`0;url=${fullLists}`} />)}</noscript>`,
    )
  return `<!doctype html>${html.replace('</head>', () => `${scripts.join('')}</head>`)}`
}
