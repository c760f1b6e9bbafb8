/** What pages have in common: text that cannot break out, and nothing but the page itself. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/** Every character of HTML that a text could break out with. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Nothing may be loaded, run or asked but what these directives allow. */
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
