/** Sends an uploaded file, whose content and name are untrusted. */
import type { Response } from 'express'
import type { FileContent } from '../domain/base/file.ts'

/** Marks a response body as a file. All other bodies are sent as JSON. */
export class FileBody {
  readonly content: FileContent

  constructor(content: FileContent) {
    this.content = content
  }
}

/**
 * Sends a file that the browser must save. If the browser displays it anyway, the policy blocks scripts and requests.
 */
export function sendFile(res: Response, status: number, { name, contentType, bytes }: FileContent): void {
  res
    .status(status)
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
    .setHeader(
      'Content-Disposition',
      `attachment; filename="${inAscii(name)}"; filename*=UTF-8''${encoded(name)}`,
    )
    .setHeader('Content-Type', contentType)
    .send(bytes)
}

/** Returns the name for clients such as curl that read only ASCII. */
const inAscii = (name: string): string => name.replace(/[^\w .()-]/g, '_')

/** Encodes a name as RFC 8187 requires. `encodeURIComponent` does not encode `'()*`. */
const encoded = (name: string): string =>
  encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
