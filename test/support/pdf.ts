/** Small hand-written PDFs. */

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'

/** Returns a PDF with one page for each text, in a standard font. */
export function pdfOf(...texts: readonly string[]): Buffer {
  const pages = texts.map((text, index) => {
    const stream = `BT /F1 48 Tf 60 700 Td (${text}) Tj ET 60 600 300 40 re f`
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${2 * index + 5} 0 R
        /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]
  })
  const kids = texts.map((_, index) => `${2 * index + 4} 0 R`).join(' ')
  return written([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    HELVETICA,
    ...pages.flat(),
  ])
}

/** Returns a PDF that requires an unknown password. */
export function encryptedPdf(): Buffer {
  const secret = `<${'5a'.repeat(32)}>`
  return written(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 0 >>',
      `<< /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >>`,
    ],
    `/Encrypt 3 0 R /ID [${secret} ${secret}]`,
  )
}

/** Returns a PDF whose catalogue has the given entries. Further objects follow the page, as object 6. */
export const pdfWith = (catalogue: string, ...objects: readonly string[]): Buffer =>
  written([
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    HELVETICA,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
    '<< >>',
    ...objects,
  ])

/** Returns a PDF without pages. */
export const emptyPdf = (): Buffer =>
  written(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'])

function written(objects: readonly string[], more = ''): Buffer {
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R ${more} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text + table + trailer, 'latin1')
}
