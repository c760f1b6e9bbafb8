/** Renders the API reference with Swagger UI, without requests to third parties. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { escapeHtml as safe } from '../../http/page.ts'

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const OURS = fileURLToPath(new URL('../reference/', import.meta.url))

const read = (folder: string, name: string) => {
  const content = readFileSync(join(folder, name))
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12)
  // The URL contains the version, so that browsers can cache the file permanently.
  return { name, content, href: `docs/${name}?${version}` }
}

const icon = read(SWAGGER_UI, 'favicon-32x32.png')
const styles = [read(SWAGGER_UI, 'swagger-ui.css'), read(OURS, 'stylesheet.css')]
const scripts = [read(SWAGGER_UI, 'swagger-ui-bundle.js'), read(OURS, 'initializer.js')]

/** The files of the page. The path of each begins with `docs/`. */
export const REFERENCE_FILES = [icon, ...styles, ...scripts]

/** Swagger UI uses inline styles and data URLs for icons. It sends requests only to this origin. */
export const REFERENCE_POLICY = {
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
}

/** Returns the page. Its paths are relative, so that it works at any address. */
export const referencePage = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)}</title>
<link rel="icon" href="${icon.href}">
${styles.map(({ href }) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${scripts.map(({ href }) => `<script defer src="${href}"></script>`).join('\n')}
</head>
<body>
<main id="reference"></main>
<noscript>This page requires JavaScript. Without it, use the OpenAPI document <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`
