/** Escapes text and sets the content security policy of HTML pages. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Sets a policy that blocks all sources except those in `allowed`. */
export const guardPage = (allowed: Readonly<Record<string, readonly string[]>>): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        ...allowed,
      },
    },
  })
