/** Component: the layout of a page, with the vault's logo, the languages, the list of problems and the contact. */

import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Vault } from '../../domain/access/vault.ts'
import { brandStylePath, logoPath } from '../../use-cases/access/branding.ts'
import { assetPath } from '../assets.ts'
import { DIRECTIONS, LANGUAGE_NAMES, LANGUAGES, type Language, type Translate } from '../texts/index.ts'

/** The language, vault and address that a page is rendered for. */
export interface Frame {
  readonly language: Language
  readonly t: Translate
  /** The vault that requests the verification. Null on pages outside a verification. */
  readonly vault: Vault | null
  readonly vaultName: string | null
  /** The path of the page. */
  readonly path: string
}

/** A problem with the input named `field`. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
  /** The values of the inputs that someone else entered in the meantime. */
  readonly theirs?: readonly string[]
}

interface PageProps {
  readonly frame: Frame
  readonly title: string
  readonly back?: string
  readonly problems?: readonly FieldProblem[]
  readonly children: ComponentChildren
}

interface FramesetProps {
  readonly frame: Frame
  readonly title: string
  /** True if the page shows problems. */
  readonly isWrong: boolean
  /** Applicants get one column, operators get several. */
  readonly look: 'applicant' | 'console'
  readonly children: ComponentChildren
}

/** Renders the HTML document with its head and the elements for screen readers. */
export function Frameset({ frame, title, isWrong, look, children }: FramesetProps) {
  const { language, t, vault, path } = frame
  const brandStyle = vault && brandStylePath(vault)
  return (
    <html lang={language} dir={DIRECTIONS[language]}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{isWrong ? t('page.error', { title }) : title}</title>
        <link rel="stylesheet" href={assetPath('style.css')} />
        {brandStyle ? <link rel="stylesheet" href={brandStyle} /> : null}
        <script type="module" src={assetPath('scripts/main.js')} />
      </head>
      <body class={look} data-page={path}>
        <a class="skip" href="#content">
          {t('page.skip')}
        </a>
        {children}
        <p class="unseen" role="status" id="announcement" />
      </body>
    </html>
  )
}

export function Page({ frame, title, back, problems = [], children }: PageProps) {
  const { t, vault } = frame
  return (
    <Frameset frame={frame} title={title} isWrong={problems.length > 0} look="applicant">
      <header>
        {vault ? <VaultSign vault={vault} /> : <span />}
        <Languages {...frame} />
      </header>
      <main id="content">
        {back === undefined ? null : (
          <a class="back" href={back}>
            {t('page.back')}
          </a>
        )}
        {problems.length > 0 ? <Problems t={t} problems={problems} /> : null}
        <h1>{title}</h1>
        {children}
      </main>
      <footer>{vault ? <Help t={t} vault={vault} /> : null}</footer>
    </Frameset>
  )
}

function VaultSign({ vault }: { vault: Vault }) {
  const logo = logoPath(vault)
  return logo ? <img class="logo" src={logo} alt={vault.name} /> : <span class="vault">{vault.name}</span>
}

function Languages({ language, path, vault }: Frame) {
  const offered = vault?.languages ?? LANGUAGE_NAMES
  if (offered.length === 1) return null
  return (
    <nav aria-label="Language / Sprache">
      <ul class="languages">
        {offered.map((each) => (
          <li key={each}>
            {each === language ? (
              <span lang={each} aria-current="true">
                {LANGUAGES[each]['language.name']}
              </span>
            ) : (
              <a lang={each} hreflang={each} href={`${path}?language=${each}`}>
                {LANGUAGES[each]['language.name']}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Opens the privacy policy in a new tab, so that typed values on this page are not lost. */
function Help({ t, vault: { name, supportEmail, privacyUrl } }: { t: Translate; vault: Vault }) {
  return (
    <>
      {supportEmail ? (
        <p>
          {t('page.support')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
        </p>
      ) : (
        <p>{t('page.help', { vault: name })}</p>
      )}
      {privacyUrl ? (
        <p>
          <a href={privacyUrl} target="_blank" rel="noopener noreferrer">
            {t('page.privacy')}
          </a>
        </p>
      ) : null}
    </>
  )
}

/** Lists the messages of all fields, each with a link to its field. */
export const Problems = ({ t, problems }: { t: Translate; problems: readonly FieldProblem[] }) => (
  <div class="summary" role="alert" aria-labelledby="problems" tabIndex={-1}>
    <h2 id="problems">{t('problem.summary')}</h2>
    <ul>
      {problems.map(({ field, message }) => (
        <li key={field}>{field === '' ? message : <a href={`#${field}`}>{message}</a>}</li>
      ))}
    </ul>
  </div>
)

export const render = (page: VNode): string => `<!doctype html>${renderToString(page)}`
