/** Requests whose body arrives in two parts, for tests of access that ends in between. */

interface SlowRequest {
  readonly method?: string
  readonly headers: HeadersInit
  readonly parts: readonly [first: Uint8Array | string, last: Uint8Array | string]
  /** Runs between the parts. */
  readonly between: () => Promise<unknown>
}

export function sendSlowly(
  url: string,
  { method = 'POST', headers, parts: [first, last], between }: SlowRequest,
): Promise<Response> {
  const body = new ReadableStream<Uint8Array>({
    async start(stream) {
      stream.enqueue(Buffer.from(first))
      await between()
      stream.enqueue(Buffer.from(last))
      stream.close()
    },
  })
  return fetch(url, { method, headers, body, duplex: 'half', redirect: 'manual' } as RequestInit)
}

export const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=x' }
export const END_OF_FORM = '\r\n--x--\r\n'

/** Returns a part of a form with the boundary `x`, without the line break that ends it. */
export const formPart = (name: string, content: string, filename?: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}\r\n\r\n${content}`
