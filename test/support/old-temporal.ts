/** A Temporal server of another version, which knows only the calls for its version and a namespace. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

const OK = '0'
const UNIMPLEMENTED = '12'

const frame = (message: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
/** Encodes a message whose first field is this text, such as `GetSystemInfoResponse`. */
const encode = (text: string) => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)])

export async function startTemporalOf(version: string) {
  const responses: Readonly<Record<string, Buffer>> = {
    GetSystemInfo: frame(encode(version)),
    DescribeNamespace: frame(Buffer.alloc(0)),
  }
  const calls = new Set<string>()
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream, { ':path': path = '' }: IncomingHttpHeaders) => {
    const call = path.slice(path.lastIndexOf('/') + 1)
    calls.add(call)
    const response = responses[call]
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': response ? OK : UNIMPLEMENTED }))
    stream.end(response)
  })
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The names of the calls that it received. */
    calls: () => [...calls].sort(),
    stop() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}
