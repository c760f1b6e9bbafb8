/** An answer that is a file: somebody's bytes, under a name that somebody gave them. */
import type { Response } from 'express'
import type { FileContent } from '../domain/file.ts'

/** The body of such an answer, told from all that is sent as JSON. */
export class FileBody {
  readonly content: FileContent

  constructor(content: FileContent) {
    this.content = content
  }
}

/** It is saved, never shown in our place; and were it shown, it could do nothing. */
export function sendFile(res: Response, status: number, { name, contentType, bytes }: FileContent): void {
  res
    .status(status)
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
    .setHeader('Content-Disposition', `attachment; filename*=UTF-8''${encoded(name)}`)
    .setHeader('Content-Type', contentType)
    .send(bytes)
}

/** As RFC 8187 writes values: beside letters and digits, hardly anything stays as it is. */
const encoded = (name: string): string =>
  encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
