/** Opens PDFs with the library that also shows them to reviewers. Runs in a decoder process. */
import { inflateSync } from 'node:zlib'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { DOCUMENT_WARNINGS, type DocumentWarning } from '../domain/base/file.ts'

const END = Buffer.from('%%EOF')
/** The maximum size of all compressed objects that are searched for names. The others count as unchecked. */
const MAX_INFLATED_BYTES = 15_000_000
/** The share of this size that an unreadable stream uses, because each attempt takes time. */
const FAILED_BYTES = 10_000
const OBJECT_STREAM = /\/(?:O|#4f)(?:b|#62)(?:j|#6a)(?:S|#53)(?:t|#74)(?:m|#6d)(?![A-Za-z0-9])/gi

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
    const found = warningsIn(bytes)
    if (hasScripts) found.add('scripts')
    if (attachments) found.add('attachments')
    return DOCUMENT_WARNINGS.filter((warning) => found.has(warning))
  } catch {
    return null
  } finally {
    await loading.destroy()
  }
}

/** The names that occur only in PDFs with such parts. Some viewers show XFA forms instead of the pages. */
const SIGNS: ReadonlyMap<string, DocumentWarning> = new Map([
  ['JavaScript', 'scripts'],
  ['XFA', 'scripts'],
  ['Launch', 'launch'],
  ['EmbeddedFile', 'attachments'],
  ['EmbeddedFiles', 'attachments'],
  ['FileAttachment', 'attachments'],
  ['Filespec', 'attachments'],
  ['RichMedia', 'attachments'],
])

/**
 * Returns the warnings for names in the objects of the file, in plain text and in compressed objects. The library does
 * not report the actions of each link.
 */
function warningsIn(bytes: Buffer): Set<DocumentWarning> {
  const found = new Set<DocumentWarning>()
  const read = (text: string) => {
    for (const [, name = ''] of text.matchAll(/\/([A-Za-z#0-9]{3,40})/g)) {
      const plain = name.replace(/#([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
      const warning = SIGNS.get(plain)
      if (warning) found.add(warning)
    }
  }
  const text = bytes.toString('latin1')
  read(text)
  const stream = /stream\r?\n/g
  let left = MAX_INFLATED_BYTES
  for (const { index } of text.matchAll(OBJECT_STREAM)) {
    // Several names can precede one stream.
    if (index < stream.lastIndex) continue
    stream.lastIndex = index
    const objects = left > 0 && stream.exec(text) ? inflated(bytes.subarray(stream.lastIndex), left) : null
    if (objects === null) found.add('unchecked')
    else read(objects)
    if (stream.lastIndex === 0) break
    left -= objects?.length ?? FAILED_BYTES
  }
  return found
}

/** Returns the text of a compressed stream, or null if it is encrypted, compressed in another way or too large. */
function inflated(bytes: Buffer, maxOutputLength: number): string | null {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush: 2 }).toString('latin1')
  } catch {
    return null
  }
}
