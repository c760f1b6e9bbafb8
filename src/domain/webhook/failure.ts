/** Lists the reasons why attempts to deliver events fail. Attempts store the English text. */

export const FAILURES = {
  status: 'HTTP status',
  timeout: 'no complete response within 10 seconds',
  not_public: 'the address is not public',
  refused: 'connection refused',
  reset: 'connection reset',
  closed: 'connection closed before the response',
  host_unreachable: 'the host is unreachable',
  network_unreachable: 'the network is unreachable',
  connect_timeout: 'timed out while connecting',
  unknown_host: 'the host name does not resolve',
  large_headers: 'the response headers exceed 64 kB',
  not_http: 'the response is not HTTP',
  no_tls: 'the receiver does not use TLS at this port',
  old_tls: 'the receiver does not support TLS 1.2 or later',
  handshake_refused:
    'the receiver refused the TLS handshake, which may mean that it requires a client certificate',
  client_certificate: 'the receiver requires a client certificate',
  handshake: 'the TLS handshake failed',
  certificate: 'the TLS certificate was not accepted',
  other: 'the request failed',
} as const satisfies Record<string, string>
export type Failure = keyof typeof FAILURES

const NAMES = new Map<string, Failure>(
  Object.entries(FAILURES).map(([name, text]) => [text, name as Failure]),
)

/** Returns the stored text of a failure. The detail is the status or the error code. */
export const failureText = (failure: Failure, detail?: string | number): string => {
  if (detail === undefined) return FAILURES[failure]
  return failure === 'status' ? `${FAILURES.status} ${detail}` : `${FAILURES[failure]} (${detail})`
}

/** Reads a stored text. Returns null for a text that is not of `failureText`. */
export function readFailure(text: string): { failure: Failure; detail: string | null } | null {
  const [, reason = '', detail = null] = /^(.*?)(?: (\d{3}|\(\w+\)))?$/.exec(text) ?? []
  const failure = NAMES.get(reason)
  return failure ? { failure, detail } : null
}
