/** Limits how long a client may pause while it reads a response that is sent in parts. */
import type { ServerResponse } from 'node:http'

const MAX_SILENCE_MS = 30_000

/** Disconnects the client if it pauses for too long. */
export const limitSilence = (res: ServerResponse, maxMs = MAX_SILENCE_MS): void =>
  void res.setTimeout(maxMs, () => void res.destroy())
