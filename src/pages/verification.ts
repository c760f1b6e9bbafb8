/** The page that a verification link leads to: who asks, for whom, and how far the verification is. */
import { Router } from 'express'
import type { Database } from '../db/database.ts'
import { findLinkedVerification, type LinkedVerification } from '../db/verification-link.ts'
import type { Verification } from '../domain/identification.ts'
import { escapeHtml, guardPage, styleHash } from './html.ts'

const STYLE = `
:root { color-scheme: light dark; --back: #f4f5f7; --card: #fff; --text: #1b1f27; --quiet: #596273; --line: #dfe3ea }
@media (prefers-color-scheme: dark) {
  :root { --back: #12151b; --card: #1b1f28; --text: #edf0f5; --quiet: #a3acbd; --line: #2e3542 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem;
  background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 0.75rem }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3 }
p { margin: 0 0 1rem; overflow-wrap: anywhere }
p:last-child { margin: 0 }
.quiet { color: var(--quiet) }
.state { padding: 0.875rem 1rem; border-left: 4px solid; border-radius: 0.25rem; background: var(--back) }
.open { border-color: #3b6fd4 } .good { border-color: #2c8f55 } .bad { border-color: #c0453c }
.over { border-color: var(--quiet) }
`
const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main>
<h1>${title}</h1>
${content}
</main></body>
</html>
`

const STATES: Record<Verification, { look: string; words: string }> = {
  initiated: { look: 'open', words: 'The verification has begun and is not finished yet.' },
  attention: {
    look: 'open',
    words: 'Somebody is looking at the verification in person. This can take a while; nothing is needed now.',
  },
  approved: { look: 'good', words: 'The verification is finished: everything is in order.' },
  rejected: { look: 'bad', words: 'The verification is finished, but it was not successful.' },
  closed: { look: 'over', words: 'The verification was ended before it was finished.' },
}

function found({ vaultName, kind, verification }: LinkedVerification): string {
  const { look, words } = STATES[verification]
  const asks = escapeHtml(vaultName)
  const whom = kind === 'person' ? 'who you are' : 'what your company is and who stands behind it'
  return page(
    kind === 'person' ? 'Identity verification' : 'Business verification',
    `<p><strong>${asks}</strong> asks you to verify ${whom}.</p>
<p class="state ${look}" role="status">${words}</p>
<p class="quiet">Questions? Ask ${asks}, who sent you this link.</p>`,
  )
}

const NOT_FOUND = page(
  'This link does not work',
  `<p>It may have expired, or a newer one has replaced it. Links work for seven days.</p>
<p class="quiet">Look for a newer message, or ask whoever sent you the link for a new one.</p>`,
)

export function verificationPage(db: Database): Router {
  const router = Router()
  router.get('/verify/:token', guardPage({ styleSrc: [styleHash(STYLE)] }), async (req, res) => {
    const linked = await findLinkedVerification(db, String(req.params.token))
    res.setHeader('Cache-Control', 'no-store')
    res
      .status(linked ? 200 : 404)
      .type('html')
      .send(linked ? found(linked) : NOT_FOUND)
  })
  return router
}
