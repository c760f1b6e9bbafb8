/** Opens PDFs with the library that also shows them to reviewers. Runs in a decoder process. */
import { inflateSync } from 'node:zlib'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { DocumentWarning } from '../domain/file.ts'

/** Viewers find the header and the end marker within this distance of the ends of the file. */
const END = Buffer.from('%%EOF')
const MAX_INFLATED_BYTES = 5_000_000

/**
 * Returns the warnings for the reviewer, or null if the file cannot be opened without a password, is damaged or has no
 * pages.
 */
export async function inspectPdf(bytes: Buffer): Promise<DocumentWarning[] | null> {
  if (!bytes.includes(END)) return null
  const loading = getDocument({ data: new Uint8Array(bytes), disableFontFace: true, verbosity: 0 })
  try {
    const pdf = await loading.promise
    if (pdf.numPages < 1) return null
    await pdf.getPage(1)
    const [attachments, hasScripts] = await Promise.all([pdf.getAttachments(), pdf.hasJSActions()])
    const actions = actionsIn(bytes)
    return [
      ...(hasScripts || actions.has('JavaScript') ? (['scripts'] as const) : []),
      ...(actions.has('Launch') ? (['launch'] as const) : []),
      ...(attachments || actions.has('EmbeddedFile') ? (['attachments'] as const) : []),
    ]
  } catch {
    return null
  } finally {
    await loading.destroy()
  }
}

const ACTIONS = ['JavaScript', 'Launch', 'EmbeddedFile'] as const
type Action = (typeof ACTIONS)[number]

/**
 * Returns the actions that the objects of the file name, in plain text and in compressed objects. The library does not
 * report the actions of each link.
 */
function actionsIn(bytes: Buffer): ReadonlySet<Action> {
  const names = new Set<string>()
  const read = (text: string) => {
    for (const [, name = ''] of text.matchAll(/\/([A-Za-z#0-9]{4,40})/g))
      names.add(name.replace(/#([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))))
  }
  const text = bytes.toString('latin1')
  read(text)
  for (const match of text.matchAll(/\/ObjStm\b/g)) {
    const start = /stream\r?\n/g
    start.lastIndex = match.index
    const found = start.exec(text)
    if (found) read(inflated(bytes.subarray(start.lastIndex)))
  }
  return new Set(ACTIONS.filter((action) => names.has(action)))
}

/** Returns the text of a compressed stream, or an empty text if it is compressed in another way or too large. */
function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES, finishFlush: 2 }).toString('latin1')
  } catch {
    return ''
  }
}
